// This file defines how a card is built from pieces, and which pieces fit a budget.

package prompt

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// section is a part of the card, in the order in which they stand there.
type section int

const (
	opening section = iota
	differences
	inputs
	tools
	beyond
	bounds
	examples
)

var headings = map[section]string{
	differences: "## Differences from Clojure",
	inputs:      "## Input",
	tools:       "## Tools",
	beyond:      "## Additions to Clojure",
	bounds:      "## Limits",
	examples:    "## Examples",
}

// piece is a part of the card that is included as a whole or not at all.
type piece struct {
	section section
	text    string // one or more lines
	kind    string // its name in the line of omitted pieces; "" for a piece that always stays
	// amends is the piece that this one follows on the same lines: the documentation of a tool follows its
	// signature. Nil for most.
	amends *piece
}

// card has all pieces. pieces are in the order of their ranks; fixed pieces are always included.
type card struct {
	fixed  []*piece
	pieces []*piece
}

func newCard(ctx context.Context, o Options) *card {
	t := describeTools(o)
	most, rest := differing(o)
	shown := chosenExamples(ctx, o)
	c := &card{fixed: slices.Concat(openingPieces(), t.fixed)}
	c.pieces = slices.Concat(inputPieces(o), t.reach, t.calls, most, shapePieces(o), t.signatures, shown[:1],
		[]*piece{boundsPiece(o.Run.Limits)},
		rest, t.docs, shown[1:2], beyondPieces(), t.details, shown[2:])
	return c
}

// within returns how many pieces a budget has room for.
func (c *card) within(tokens int) int {
	n := sort.Search(len(c.pieces), func(i int) bool { return Tokens(c.text(i+1)) > tokens })
	for n > 0 && Tokens(c.text(n)) > tokens { // if the line of omitted pieces has grown by more than the piece
		n--
	}
	return n
}

// text writes the card with the first n pieces.
func (c *card) text(n int) string {
	told := slices.Concat(c.fixed, c.pieces[:n])
	behind := make(map[*piece]string)
	for _, p := range told {
		if p.amends != nil {
			behind[p.amends] += p.text
		}
	}
	var b strings.Builder
	for s := opening; s <= examples; s++ {
		first := true
		for _, p := range told {
			if p.section != s || p.amends != nil {
				continue
			}
			if first && headings[s] != "" {
				b.WriteString("\n" + headings[s] + "\n\n")
			}
			first = false
			b.WriteString(p.text + behind[p])
		}
	}
	b.WriteString(c.leftOut(n))
	return b.String()
}

// leftOut returns the line that lists the pieces from n on, and how a program can ask for them.
func (c *card) leftOut(n int) string {
	if n == len(c.pieces) {
		return ""
	}
	var kinds []string
	counts := make(map[string]int)
	for _, p := range c.pieces[n:] {
		if counts[p.kind]++; counts[p.kind] == 1 {
			kinds = append(kinds, p.kind)
		}
	}
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%s (%d)", kind, counts[kind])
	}
	return "\nLeft out here: " + strings.Join(kinds, ", ") + ". In a program `(doc map)` prints the documentation " +
		"of a name; `(find-doc \"word\")` searches names and " +
		"tools for a word.\n"
}
