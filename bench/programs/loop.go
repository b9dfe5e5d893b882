// This file defines the sum of the numbers below n with a counting loop.

package programs

// Loop is the workload loop.
func Loop(data map[string]any) any {
	n := data["n"].(int)
	sum := 0
	for i := 0; i < n; i++ {
		sum += i
	}
	return sum
}
