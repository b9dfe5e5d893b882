// This file defines the building, splitting, joining, upper-casing and replacing
// of n small strings.

package programs

import (
	"strconv"
	"strings"
)

func piece(i int) string {
	parts := strings.Split("k"+strconv.Itoa(i)+"=v"+strconv.Itoa(i%7), "=")
	return strings.ReplaceAll(strings.ToUpper(strings.Join(parts, "-")), "V", "w")
}

// Strings is the workload strings.
func Strings(data map[string]any) any {
	n := data["n"].(int)
	var pieces []string
	for i := 0; i < n; i++ {
		pieces = append(pieces, piece(i))
	}
	whole := strings.Join(pieces, ",")
	back := strings.Split(whole, ",")
	sum := 0
	for _, s := range back {
		sum += len(s)
	}
	return []any{len(whole), len(back), sum, back[len(back)-1]}
}
