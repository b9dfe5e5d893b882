package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/policy"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// actions returns a file with n actions, each written with the format.
func actions(n int, format string) string {
	var b strings.Builder
	b.WriteString("actions:\n")
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestManyActions reads a file with the maximum number of actions.
func TestManyActions(t *testing.T) {
	for format, n := range map[string]int{
		"  shop.order%d: {concurrency: 1, rate: {calls: 10, per: 1m, burst: 2}}\n":                         policy.MaxEntries,
		"  shop.order%d:\n    concurrency: 1\n    rate:\n      calls: 10\n      per: 1m\n      burst: 2\n": 3000,
	} {
		p := parse(t, actions(n, format))
		require.Len(t, p.Actions, n)
		require.Equal(t, queue.Policy{Concurrency: 1, Rate: queue.Rate{Calls: 10, Per: 60e9, Burst: 2}},
			p.Actions["shop.order2999"])
	}
	p := parse(t, strings.ReplaceAll("{"+strings.Join(strings.Split(actions(3000, "a%d: {concurrency: 1}\n"), "\n"),
		",")+"}", "actions:,", "actions: {")+"}")
	require.Len(t, p.Actions, 3000)
}

// TestTooMuch holds files that would take the parser minutes. They must be refused before parsing;
// see maxWork and the other bounds.
func TestTooMuch(t *testing.T) {
	fill := func(text string) string { return strings.Repeat(text, policy.MaxSize/8/len(text)+1) }
	odd := "got 101 elements that policies do not use"
	for name, c := range map[string]struct{ text, want string }{
		"entries":       {fill("a: b\n"), "too many entries: want at most 10000 in a mapping"},
		"groups":        {fill("a: {b: c}\na:\n" + strings.Repeat(" a: b\n", 5000)), "too many entries: want at most 10000 in a mapping"},
		"no values":     {fill("a:\n"), odd},
		"returns":       {fill("a:\r"), odd},
		"deeper":        {fill("a:\n b:\n"), odd},
		"names only":    {"{" + fill("a,") + "}", odd},
		"colons":        {"{" + fill("a:,") + "}", odd},
		"lists":         {fill("- "), "nested deeper than 50 levels"},
		"items":         {fill("- a\n"), odd},
		"brackets":      {"[" + fill("a,"), odd},
		"commas":        {"{" + fill(","), odd},
		"keys":          {fill("? a\n"), odd},
		"anchors":       {fill("a: &b c\n"), odd},
		"aliases":       {fill("*a\n"), odd},
		"tags":          {fill("a: !!str b\n"), odd},
		"documents":     {fill("---\n"), odd},
		"long names":    {strings.Repeat("a", policy.MaxSize/8) + ": {" + strings.Repeat("b: c,", 1000) + "}", "too many entries below long names"},
		"nested":        {strings.Repeat("a: {b: {", 24) + "a: {b: c" + strings.Repeat("}", 50), ""},
		"nested deeper": {indented(60), "nested deeper than 50 levels"},
	} {
		t.Run(name, func(t *testing.T) {
			all := mistakes(t, c.text)
			require.Contains(t, all[0], c.want)
			if c.want != "" {
				require.Len(t, all, 1)
			}
		})
	}
}

// indented returns nested mappings.
func indented(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// TestMistakesOnOneLine reads a file of one long line. Its mistakes must have positions, and their
// number must be bounded.
func TestMistakesOnOneLine(t *testing.T) {
	const n = 5000
	text := "actions: {" + strings.Repeat("é: {rate: {}, b: 1}, ", n) + "}"
	all := mistakes(t, text)
	require.Len(t, all, 101)
	require.Equal(t, "1:21: actions: é: rate is empty, want calls and per", all[0])
	require.Equal(t, "1:25: unknown field b (the fields are concurrency, quota, rate)", all[1])
	require.Equal(t, "1:32: actions: é is repeated, first set on line 1", all[2])
}
