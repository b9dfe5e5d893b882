// This file defines the average salary of each department, the highest first.

package programs

import "sort"

type average struct {
	dept   string
	salary float64
}

func averageSalary(records []map[string]any) float64 {
	sum := 0
	for _, r := range records {
		sum += r["salary"].(int)
	}
	return float64(sum) / float64(len(records))
}

// Records is the workload records.
func Records(data map[string]any) any {
	groups := map[string][]map[string]any{}
	for _, v := range data["records"].([]any) {
		r := v.(map[string]any)
		dept := r["dept"].(string)
		groups[dept] = append(groups[dept], r)
	}
	var averages []average
	for dept, records := range groups {
		averages = append(averages, average{dept, averageSalary(records)})
	}
	sort.Slice(averages, func(i, j int) bool { return averages[i].salary > averages[j].salary })
	out := make([]any, len(averages))
	for i, a := range averages {
		out[i] = []any{a.dept, a.salary}
	}
	return out
}
