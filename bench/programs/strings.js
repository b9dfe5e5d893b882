// Builds, splits, joins, changes to upper case and replaces in n small strings,
// then joins and splits the whole.
(function () {
  function piece(i) {
    const parts = ('k' + i + '=v' + (i % 7)).split('=')
    return parts.join('-').toUpperCase().replace(/V/g, 'w')
  }
  const n = data.n
  const pieces = []
  for (let i = 0; i < n; i++) pieces.push(piece(i))
  const whole = pieces.join(',')
  const back = whole.split(',')
  const sum = back.reduce((sum, s) => sum + s.length, 0)
  return [whole.length, back.length, sum, back[back.length - 1]]
})()
