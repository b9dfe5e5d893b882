// This file defines the smallest program that reads its input.

package programs

// Oneline is the workload oneline.
func Oneline(data map[string]any) any { return data["x"].(int)*2 + 1 }
