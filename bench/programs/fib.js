// Defines the doubly recursive Fibonacci function and calls it with n.
(function () {
  function fib(n) {
    if (n < 2) return n
    return fib(n - 1) + fib(n - 2)
  }
  return fib(data.n)
})()
