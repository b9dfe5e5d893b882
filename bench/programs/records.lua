-- Groups the records by department and gives {dept, average salary} pairs, the
-- highest average first.
local groups = {}
for _, r in ipairs(data.records) do
  local g = groups[r.dept]
  if not g then
    g = {}
    groups[r.dept] = g
  end
  g[#g + 1] = r
end

local out = {}
for dept, g in pairs(groups) do
  local sum = 0
  for _, r in ipairs(g) do sum = sum + r.salary end
  out[#out + 1] = { dept, sum / #g }
end
table.sort(out, function(a, b) return a[2] > b[2] end)
return out
