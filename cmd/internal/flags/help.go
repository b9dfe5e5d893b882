// This file defines the help of flags.

package flags

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// Help writes a list of flags, by groups and sorted by name.
func Help(w io.Writer, specs []Spec) {
	for _, g := range Groups() {
		of := slices.DeleteFunc(Sorted(specs), func(f Spec) bool { return cmp.Or(f.Group, GroupGeneral) != g })
		width := 0
		for _, f := range of {
			width = max(width, len(f.Usage()))
		}
		for i, f := range of {
			if i == 0 {
				fmt.Fprintf(w, "\n%s:\n", g)
			}
			fmt.Fprintf(w, "  %-*s  %s\n", width, f.Usage(), f.Description())
		}
	}
}
