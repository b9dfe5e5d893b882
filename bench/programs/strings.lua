-- Builds, splits, joins, changes to upper case and replaces in n small strings,
-- then joins and splits the whole.
local function split(s, sep)
  local out, n, from = {}, 0, 1
  while true do
    local at, last = string.find(s, sep, from, true)
    n = n + 1
    if not at then
      out[n] = string.sub(s, from)
      return out
    end
    out[n] = string.sub(s, from, at - 1)
    from = last + 1
  end
end

local function piece(i)
  local parts = split("k" .. i .. "=v" .. i % 7, "=")
  return (string.gsub(string.upper(table.concat(parts, "-")), "V", "w"))
end

local pieces = {}
for i = 0, data.n - 1 do pieces[i + 1] = piece(i) end
local whole = table.concat(pieces, ",")
local back = split(whole, ",")
local sum = 0
for _, s in ipairs(back) do sum = sum + #s end
return { #whole, #back, sum, back[#back] }
