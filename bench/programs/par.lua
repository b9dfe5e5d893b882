-- Calls fib(15) n times and gives the sum.
local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end
local sum = 0
for _ = 1, data.n do sum = sum + fib(15) end
return sum
