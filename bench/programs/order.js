// Sums an order by kind of goods: 1 KB of source for the compile workloads.
(function () {
  const items = [
    { kind: 'book', qty: 3, cents: 1250 },
    { kind: 'food', qty: 12, cents: 199 },
    { kind: 'tool', qty: 1, cents: 8999 },
    { kind: 'book', qty: 9, cents: 2400 },
    { kind: 'toy', qty: 2, cents: 1575 },
    { kind: 'food', qty: 40, cents: 85 }
  ]
  const rates = { book: 7, food: 7, tool: 19, toy: 19 }
  const percent = (n, p) => Math.floor(n * p / 100)

  function discount (n) {
    if (n > 10000) return percent(n, 10)
    if (n > 5000) return percent(n, 5)
    return 0
  }

  function gross (item) {
    const n = item.qty * item.cents
    const due = n - discount(n)
    return due + percent(due, rates[item.kind])
  }

  const groups = new Map()
  for (const item of items) {
    let g = groups.get(item.kind)
    if (!g) groups.set(item.kind, g = [item.kind, 0, 0])
    g[1]++
    g[2] += gross(item)
  }
  return [...groups.values()].sort((a, b) => a[0] < b[0] ? -1 : 1)
})()
