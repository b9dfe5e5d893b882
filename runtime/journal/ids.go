// This file parses the ids of effects.

package journal

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// checkID refuses ids that are not a path and a number, or have a number that overflows an int or
// has leading zeros. So every id can be ordered and shown anywhere.
func checkID(id string) error {
	path, first := true, 0 // where the number begins
	for i := range len(id) {
		switch c := id[i]; {
		case '0' <= c && c <= '9':
			continue
		case path && (c == '.' || c == '#') && isNumber(id[first:i]):
			path, first = c == '.', i+1
			continue
		}
		return badID(id)
	}
	if path || len(id) > effect.MaxID || !isNumber(id[first:]) {
		return badID(id)
	}
	return nil
}

func badID(id string) error {
	return fmt.Errorf("journal: %q is not the id of an effect, want numbers as in 0.2.7#1", cut(id, 0))
}

// isNumber reports whether digits are a number of an id.
func isNumber(digits string) bool {
	switch n := len(digits); {
	case n < 2:
		return n == 1
	case n >= 10:
		return n == 10 && digits[0] != '0' && digits <= "2147483647"
	}
	return digits[0] != '0'
}

// pathOf returns the path of the evaluation that has the effect.
func pathOf(id string) string {
	path, _, _ := strings.Cut(id, "#")
	return path
}

// excuses holds, for each operation, the first element from which on effects need not happen again.
type excuses map[string]int

// cover reports whether an effect is in an excused element, at whatever depth.
func (x excuses) cover(id string) bool {
	path := pathOf(id)
	dots := 0
	for i := range len(path) {
		if path[i] != '.' {
			continue
		}
		if dots++; dots%2 != 0 {
			continue // before an operation's number, not an element's
		}
		if from, ok := x[path[:i]]; ok {
			element, _, _ := strings.Cut(path[i+1:], ".")
			if n, err := strconv.Atoi(element); err == nil && n >= from {
				return true
			}
		}
	}
	return false
}
