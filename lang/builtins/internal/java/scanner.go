// This file defines the delimiters of Scanner, and its search for a pattern.

package java

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// scannerDelims is the slot of a Scanner with its delimiter, a pattern; nil for white space. The others are a reader's.
const scannerDelims = readerSlots

// newScanner returns a Scanner of a reader, or of a text.
func newScanner(t *value.Task, from, text value.Value) value.Value {
	return t.JavaOf(Scanner, from, text, value.Int(0), value.Int(0), value.Nil)
}

// delimited is token for a delimiter: it skips one, if the text begins with it, and ends before the next one.
func delimited(t *value.Task, delim value.Value, text string) (tok string, n int, ok bool) {
	start := 0
	strs.Matches(t, delim, text, func(loc []int) bool {
		if loc[0] == 0 {
			start = loc[1]
		}
		return false
	})
	if start == len(text) {
		return "", 0, false
	}
	end := len(text)
	strs.Matches(t, delim, text[start:], func(loc []int) bool {
		if loc[1] == 0 {
			return true // an empty match here ends no token
		}
		end = start + loc[0]
		return false
	})
	return text[start:end], end, true
}

// lineEnds are the characters that end a line of a Scanner.
const lineEnds = "\n\r\u2028\u2029\u0085"

// findInLine returns the next match of a pattern in the line, and moves after it. Without one it returns nil.
func findInLine(t *value.Task, a []value.Value) value.Value {
	pattern := strs.Pattern(t, a[1], "findInLine")
	r := source(t, a[0], "findInLine")
	line := rest(r)
	if end := strings.IndexAny(line, lineEnds); end >= 0 {
		line = line[:end]
	}
	t.Work(int64(len(line)) / 16)
	if line == "" {
		return value.Nil
	}
	from, to := -1, 0
	strs.Matches(t, pattern, line, func(loc []int) bool {
		from, to = loc[0], loc[1]
		return false
	})
	if from < 0 {
		return value.Nil
	}
	found := t.CopyString(line[from:to])
	advance(t, r, to)
	return found
}

// searchMethods are those of Scanner with patterns.
func searchMethods() []method {
	truth := func(_ *value.Task, tok string) (value.Value, bool) {
		yes := strings.EqualFold(tok, "true")
		return value.Bool(yes), yes || strings.EqualFold(tok, "false")
	}
	return []method{
		{"useDelimiter", "pattern", entry.PerByte, "Sets the pattern that is between the tokens of a Scanner. Returns it.",
			`(let [s (.useDelimiter (java.util.Scanner. "a,b") ",")] [(.next s) (.next s)]) => ["a" "b"]`,
			func(t *value.Task, a []value.Value) value.Value {
				pattern := strs.Pattern(t, a[1], "useDelimiter")
				change(t, a[0], scannerDelims, pattern)
				return a[0]
			}},
		{"findInLine", "pattern", entry.PerByte, "Returns the next match of a pattern in the line of a Scanner, or nil.",
			`(.findInLine (java.util.Scanner. "a1 b2") "\\d") => "1"`, findInLine},
		{"nextBoolean", "", entry.PerByte, "", "", scan("nextBoolean", truth)},
		{"hasNextBoolean", "", entry.PerByte, "Returns true if the next token of a Scanner is true or false.",
			`(.hasNextBoolean (java.util.Scanner. "true")) => true`, scans("hasNextBoolean", truth)},
	}
}
