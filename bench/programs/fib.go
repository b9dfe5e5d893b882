// This file defines the doubly recursive Fibonacci function, called with n.

package programs

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

// Fib is the workload fib.
func Fib(data map[string]any) any {
	return fib(data["n"].(int))
}
