-- Sums the numbers below n with a counting loop.
local sum = 0
for i = 0, data.n - 1 do
  sum = sum + i
end
return sum
