// This file defines n calls of fib(15).

package programs

func fib15(n int) int {
	if n < 2 {
		return n
	}
	return fib15(n-1) + fib15(n-2)
}

// Par is the workload par. It returns the sum.
func Par(data map[string]any) any {
	n := data["n"].(int)
	sum := 0
	for i := 0; i < n; i++ {
		sum += fib15(15)
	}
	return sum
}
