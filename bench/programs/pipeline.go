// This file defines the sum of the squares of the even numbers among 1 to n with
// map, filter and reduce over slices.

package programs

func mapInts(a []int, f func(int) int) []int {
	out := make([]int, 0, len(a))
	for _, v := range a {
		out = append(out, f(v))
	}
	return out
}

func filterInts(a []int, f func(int) bool) []int {
	var out []int
	for _, v := range a {
		if f(v) {
			out = append(out, v)
		}
	}
	return out
}

func reduceInts(a []int, f func(int, int) int, acc int) int {
	for _, v := range a {
		acc = f(acc, v)
	}
	return acc
}

// Pipeline is the workload pipeline.
func Pipeline(data map[string]any) any {
	a := make([]int, data["n"].(int))
	for i := range a {
		a[i] = i
	}
	a = mapInts(a, func(x int) int { return x + 1 })
	a = filterInts(a, func(x int) bool { return x%2 == 0 })
	a = mapInts(a, func(x int) int { return x * x })
	return reduceInts(a, func(x, y int) int { return x + y }, 0)
}
