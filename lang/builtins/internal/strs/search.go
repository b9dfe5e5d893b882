// This file defines how clojure.string finds one string in another.

package strs

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// Tester makes a builtin that tests a string for a part.
func Tester(name string, f func(t *value.Task, s, part string) bool) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		s := text(t, a[0], name)
		if name == "includes?" || name == "contains" { // contains takes any CharSequence
			return value.Bool(f(t, s, entry.WantChars(t, a[1], name)))
		}
		return value.Bool(f(t, s, entry.WantText(t, a[1], name)))
	}
}

func hasPrefix(t *value.Task, s, part string) bool {
	return len(s) >= len(part) && value.EqualText(t, s[:len(part)], part)
}

func hasSuffix(t *value.Task, s, part string) bool {
	return len(s) >= len(part) && value.EqualText(t, s[len(s)-len(part):], part)
}

// Includes reports whether a part occurs in s.
func Includes(t *value.Task, s, part string) bool { return index(t, s, part) >= 0 }

// indexer makes index-of or last-index-of.
func indexer(name string, find func(t *value.Task, s *value.String, part string, from int64) int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		if a[0].IsNil() {
			t.Fail(diag.NilValue, "%s: got nil, want a string", name)
		}
		s := t.Str(a[0]).AsString()
		from := int64(-1)
		if name == "last-index-of" {
			from = int64(t.Length(s))
		}
		if len(a) == 3 {
			from = value.ToInt(t, a[2])
		}
		if i := find(t, s, Part(t, a[1], name), from); i >= 0 {
			return value.Int(int64(i))
		}
		return value.Nil
	}
}

// Part returns the string for a string or character to search for.
func Part(t *value.Task, v value.Value, what string) string {
	if v.IsChar() {
		return string(v.AsChar())
	}
	return entry.WantText(t, v, what)
}

// charsPart is part for any CharSequence.
func charsPart(t *value.Task, v value.Value, what string) string {
	return Part(t, entry.AsString(t, v), what)
}

// searched is the number of bytes that are searched between two polls.
const searched = 1 << 20

// index is strings.Index, with polls.
func index(t *value.Task, s, part string) int {
	from, step := 0, max(searched, len(part))
	for len(s)-from > step+len(part) {
		if i := strings.Index(s[from:from+step+len(part)], part); i >= 0 {
			t.Work(int64(i) / 16)
			return from + i
		}
		from += step
		t.Work(int64(step) / 16)
	}
	i := strings.Index(s[from:], part)
	if i < 0 {
		t.Work(int64(len(s)-from) / 16)
		return -1
	}
	t.Work(int64(i) / 16)
	return from + i
}

// lastIndex is strings.LastIndex, with polls.
func lastIndex(t *value.Task, s, part string) int {
	step := max(searched, len(part))
	for len(s) > step+len(part) {
		from := len(s) - step - len(part)
		if i := strings.LastIndex(s[from:], part); i >= 0 {
			return from + i
		}
		s = s[:from+len(part)]
		t.Work(int64(step) / 16)
	}
	t.Work(int64(len(s)) / 16)
	return strings.LastIndex(s, part)
}

// IndexFrom returns the index of the first part at or after character from, -1 if
// there is none.
func IndexFrom(t *value.Task, s *value.String, part string, from int64) int {
	from = max(from, 0)
	n := int64(t.Length(s))
	if from > n {
		if part == "" {
			return int(n)
		}
		return -1
	}
	start := t.Offset(s, int(from))
	i := index(t, s.S[start:], part)
	if i < 0 {
		return -1
	}
	return t.CharsBefore(s, start+i)
}

// LastIndexFrom returns the index of the last part at or before character from, -1
// if there is none.
func LastIndexFrom(t *value.Task, s *value.String, part string, from int64) int {
	if from < 0 {
		return -1
	}
	end := len(s.S)
	if n := int64(t.Length(s)); from < n {
		end = min(end, t.Offset(s, int(from))+len(part))
	}
	i := lastIndex(t, s.S[:end], part)
	if i < 0 {
		return -1
	}
	return t.CharsBefore(s, i)
}
