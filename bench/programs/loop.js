// Sums the numbers below n with a counting loop.
(function () {
  const n = data.n
  let sum = 0
  for (let i = 0; i < n; i++) sum += i
  return sum
})()
