// This file defines the section of the card about the inputs.

package prompt

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// inputPieces names the inputs, if they are known.
func inputPieces(o Options) []*piece {
	names := inputNames(o)
	if len(names) == 0 {
		return nil
	}
	return []*piece{{section: inputs, text: "`data/" + strings.Join(names, "`, `data/") + "`\n", kind: "names of inputs"}}
}

// inputNames returns the host's names, followed by those of the data that a program can read.
func inputNames(o Options) []string {
	names := slices.Clone(o.Run.DataNames)
	for _, name := range slices.Sorted(maps.Keys(o.Data)) {
		if !slices.Contains(names, name) && readable(name) {
			names = append(names, name)
		}
	}
	return names
}

// readable reports whether data/ and a name is a symbol.
func readable(name string) bool {
	return name != "" && !strings.ContainsAny(name, " /()[]{}\"';@^`~\\,") && !strings.ContainsFunc(name,
		func(c rune) bool { return !unicode.IsPrint(c) })
}

const shapeText = "\nShapes of a sample input; `?` marks an optional field:\n\n"

// shapePieces returns the shapes of the sample inputs.
func shapePieces(o Options) []*piece {
	var all []*piece
	for _, name := range inputNames(o) {
		input, ok := o.Data[name]
		if !ok {
			continue
		}
		p := &piece{section: inputs, text: "    data/" + name + " " + shapeOf(input) + "\n", kind: "shapes of inputs"}
		if len(all) == 0 {
			p.text = shapeText + p.text
		}
		all = append(all, p)
	}
	return all
}
