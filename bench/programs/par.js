// Calls fib(15) n times and gives the sum.
(function () {
  function fib(n) {
    if (n < 2) return n
    return fib(n - 1) + fib(n - 2)
  }
  const n = data.n
  let sum = 0
  for (let i = 0; i < n; i++) sum += fib(15)
  return sum
})()
