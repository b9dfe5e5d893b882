-- Counts the words of the text and gives the 20 most frequent as {word, count}
-- pairs; words of equal frequency are in alphabetical order.
local counts = {}
for word in string.gmatch(string.lower(data.text), "[a-z]+") do
  counts[word] = (counts[word] or 0) + 1
end

local pairs_ = {}
for word, n in pairs(counts) do
  pairs_[#pairs_ + 1] = { word, n }
end
table.sort(pairs_, function(a, b)
  if a[2] ~= b[2] then return a[2] > b[2] end
  return a[1] < b[1]
end)

local top = {}
for i = 1, math.min(20, #pairs_) do top[i] = pairs_[i] end
return top
