// Counts the words of the text and gives the 20 most frequent as [word, count]
// pairs; words of equal frequency are in alphabetical order.
(function () {
  const counts = new Map()
  for (const word of data.text.toLowerCase().match(/[a-z]+/g)) {
    counts.set(word, (counts.get(word) || 0) + 1)
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, 20)
})()
