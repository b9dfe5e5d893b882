-- Sums the squares of the even numbers among 1 to n with map, filter and reduce
-- over tables.
local function map(t, f)
  local out = {}
  for i = 1, #t do out[i] = f(t[i]) end
  return out
end

local function filter(t, f)
  local out, n = {}, 0
  for i = 1, #t do
    local v = t[i]
    if f(v) then
      n = n + 1
      out[n] = v
    end
  end
  return out
end

local function reduce(t, f, acc)
  for i = 1, #t do acc = f(acc, t[i]) end
  return acc
end

local numbers = {}
for i = 1, data.n do numbers[i] = i - 1 end
local t = map(numbers, function(x) return x + 1 end)
t = filter(t, function(x) return x % 2 == 0 end)
t = map(t, function(x) return x * x end)
return reduce(t, function(a, b) return a + b end, 0)
