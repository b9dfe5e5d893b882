// This file defines how messages count.

package diag

import "strconv"

// Counted writes a number of things: "1 form", "2 forms". The plural of what must have an s.
func Counted[T int | int32 | int64](n T, what string) string {
	text := strconv.FormatInt(int64(n), 10) + " " + what
	if n != 1 {
		text += "s"
	}
	return text
}
