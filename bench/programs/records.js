// Groups the records by department and gives [dept, average salary] pairs, the
// highest average first.
(function () {
  const groups = new Map()
  for (const r of data.records) {
    const g = groups.get(r.dept)
    if (g) g.push(r)
    else groups.set(r.dept, [r])
  }
  const out = []
  for (const [dept, g] of groups) {
    out.push([dept, g.reduce((sum, r) => sum + r.salary, 0) / g.length])
  }
  return out.sort((a, b) => b[1] - a[1])
})()
