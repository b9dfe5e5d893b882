// This file defines the sums of an order: 1 KB of source to compile.

package programs

import "sort"

type item struct {
	kind       string
	qty, cents int
}

var items = []item{
	{"book", 3, 1250},
	{"food", 12, 199},
	{"tool", 1, 8999},
	{"book", 9, 2400},
	{"toy", 2, 1575},
	{"food", 40, 85},
}

var rates = map[string]int{"book": 7, "food": 7, "tool": 19, "toy": 19}

func discount(n int) int {
	switch {
	case n > 10000:
		return n * 10 / 100
	case n > 5000:
		return n * 5 / 100
	}
	return 0
}

func gross(it item) int {
	n := it.qty * it.cents
	due := n - discount(n)
	return due + due*rates[it.kind]/100
}

// Order is the workload order: sums by kind of goods.
func Order(data map[string]any) any {
	count, sum := map[string]int{}, map[string]int{}
	for _, it := range items {
		count[it.kind]++
		sum[it.kind] += gross(it)
	}
	var kinds []string
	for kind := range count {
		kinds = append(kinds, kind)
	}
	sort.Strings(kinds)
	out := make([]any, len(kinds))
	for i, kind := range kinds {
		out[i] = []any{kind, count[kind], sum[kind]}
	}
	return out
}
