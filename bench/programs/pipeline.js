// Sums the squares of the even numbers among 1 to n with map, filter and reduce.
(function () {
  const n = data.n
  const numbers = []
  for (let i = 0; i < n; i++) numbers.push(i)
  return numbers
    .map((x) => x + 1)
    .filter((x) => x % 2 === 0)
    .map((x) => x * x)
    .reduce((a, b) => a + b, 0)
})()
