-- Sums an order by kind of goods: 1 KB of source for the compile workloads.
local items = {
  { kind = "book", qty = 3, cents = 1250 },
  { kind = "food", qty = 12, cents = 199 },
  { kind = "tool", qty = 1, cents = 8999 },
  { kind = "book", qty = 9, cents = 2400 },
  { kind = "toy", qty = 2, cents = 1575 },
  { kind = "food", qty = 40, cents = 85 },
}
local rates = { book = 7, food = 7, tool = 19, toy = 19 }

local function percent(n, p)
  return math.floor(n * p / 100)
end

local function discount(n)
  if n > 10000 then return percent(n, 10) end
  if n > 5000 then return percent(n, 5) end
  return 0
end

local function gross(item)
  local n = item.qty * item.cents
  local due = n - discount(n)
  return due + percent(due, rates[item.kind])
end

local groups, out = {}, {}
for _, item in ipairs(items) do
  local g = groups[item.kind]
  if not g then
    g = { item.kind, 0, 0 }
    groups[item.kind] = g
    out[#out + 1] = g
  end
  g[2] = g[2] + 1
  g[3] = g[3] + gross(item)
end
table.sort(out, function(a, b) return a[1] < b[1] end)
return out
