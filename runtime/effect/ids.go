// This file orders the ids of effects.

package effect

import (
	"cmp"
	"strings"
)

// CompareIDs orders the ids of effects by the numbers in them: an evaluation before those below it, and its effects
// by their number.
func CompareIDs(a, b string) int {
	pathA, numberA, _ := strings.Cut(a, "#")
	pathB, numberB, _ := strings.Cut(b, "#")
	for pathA != "" && pathB != "" {
		var partA, partB string
		partA, pathA, _ = strings.Cut(pathA, ".")
		partB, pathB, _ = strings.Cut(pathB, ".")
		if c := compareNumbers(partA, partB); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(len(pathA), len(pathB)); c != 0 {
		return c // one of them is empty
	}
	return compareNumbers(numberA, numberB)
}

func compareNumbers(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
