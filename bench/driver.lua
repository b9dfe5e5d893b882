-- Calls the program (made ahead of this text, after the data) and writes its
-- result and the processor time used before the call, as JSON.
local function encode(v)
  if type(v) == "table" then
    local parts = {}
    for i, e in ipairs(v) do parts[i] = encode(e) end
    return "[" .. table.concat(parts, ",") .. "]"
  elseif type(v) == "string" then
    return string.format("%q", v)
  elseif math.type(v) == "float" then
    return string.format("%.17g", v)
  end
  return tostring(v)
end

collectgarbage()
local setup = os.clock()
local value = program()
io.write('{"setup":', setup, ',"value":', encode(value), "}\n")
os.exit(true, false)
