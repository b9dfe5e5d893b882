// This file defines matchers, which go through the matches of a pattern in a text.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/jregex"
	"github.com/ptc-lang/ptc/lang/value"
)

// The slots of a matcher, which is a box.
const (
	matcherRegex = iota
	matcherText
	matcherPos    // the byte to go on from, -1 behind the last match
	matcherLast   // the last match as re-find gives it, nil if there is none
	matcherPlaces // the bytes at which it and its groups start and end
	matcherSlots
)

var onMatcher = value.Kinds(value.KindBox)

// matcherMethods are the methods of matchers, but matches, which strings have too.
func matcherMethods() []Entry {
	return []Entry{
		method("find", "", onMatcher, PerByte, "Goes to the next match of a matcher and says whether there is one.", `(.find (re-matcher #"a" "ba")) => true`, func(t *value.Task, a []value.Value) value.Value {
			return value.Bool(!findNext(t, a[0]).IsNil())
		}),
		method("lookingAt", "", onMatcher, PerByte, "Says whether a matcher's pattern matches at the beginning of its text.", `(.lookingAt (re-matcher #"a" "ab")) => true`, matchStart),
		method("group", "| n-or-name", onMatcher, Constant, "Gives the last match of a matcher, or a group of it, by its number or name.", `(let [m (re-matcher #"a(?<x>.)" "bab")] (.find m) [(.group m 1) (.group m "x")]) => ["b" "b"]`, matcherGroup),
		method("start", "| n-or-name", onMatcher, PerByte, "Gives the index at which the last match of a matcher, or a group of it, starts; -1 for a group that took no part.", `(let [m (re-matcher #"b" "abc")] (.find m) (.start m)) => 1`, matcherPlace(0)),
		method("end", "| n-or-name", onMatcher, PerByte, "Gives the index behind the last match of a matcher, or a group of it; -1 for a group that took no part.", `(let [m (re-matcher #"b" "abc")] (.find m) (.end m)) => 2`, matcherPlace(1)),
		method("groupCount", "", onMatcher, Constant, "Gives the number of groups in a matcher's pattern.", `(.groupCount (re-matcher #"(a)(b)" "")) => 2`, func(t *value.Task, a []value.Value) value.Value {
			return value.Int(int64(matcher(t, a[0])[matcherRegex].AsRegex().RE.GroupCount()))
		}),
		method("reset", "", onMatcher, Constant, "Makes a matcher begin again; gives the matcher.", `(let [m (re-matcher #"a" "a")] (.find m) (.find (.reset m))) => true`, matcherReset),
	}
}

func reMatcher(t *value.Task, a []value.Value) value.Value {
	vals := t.Vals(matcherSlots)
	vals[matcherRegex], vals[matcherText], vals[matcherPos] = a[0], a[1], value.Int(0)
	return t.Box(vals)
}

// matcher gives the slots of a matcher.
func matcher(t *value.Task, m value.Value) []value.Value {
	vals := m.AsBox().Vals
	if len(vals) != matcherSlots || vals[matcherRegex].Kind() != value.KindRegex {
		t.Fail(diag.WrongType, "got %s, want a matcher", value.Describe(t, m))
	}
	return vals
}

// found keeps a match, nil for none, and where to go on from.
func found(t *value.Task, m value.Value, loc []int, next int) value.Value {
	vals := matcher(t, m)
	last, places := value.Nil, value.Nil
	if loc != nil {
		last = match(t, vals[matcherRegex].AsRegex().RE, vals[matcherText].AsString().S, loc)
		offsets := t.Vals(len(loc))
		for i, at := range loc {
			offsets[i] = value.Int(int64(at))
		}
		places = t.VectorFrom(offsets)
	}
	t.Owns(m, "matcher")
	vals[matcherPos].SetInt(int64(next))
	vals[matcherLast], vals[matcherPlaces] = last, places
	return last
}

// findFrom gives the first match of a matcher's pattern at or behind a byte.
func findFrom(t *value.Task, m value.Value, pos int) []int {
	vals := matcher(t, m)
	re, s := vals[matcherRegex].AsRegex().RE, vals[matcherText].AsString().S
	if pos < 0 || pos > len(s) {
		return nil
	}
	t.Charge(re.MatchBytes())
	loc, err := re.Find(nil, s, pos, poll(t))
	if err != nil {
		failRegex(t, err, re.String())
	}
	return loc
}

func findNext(t *value.Task, m value.Value) value.Value {
	loc := findFrom(t, m, int(matcher(t, m)[matcherPos].AsInt()))
	next := -1
	if loc != nil {
		next = loc[1]
		if loc[0] == loc[1] {
			next++
		}
	}
	return found(t, m, loc, next)
}

func matchStart(t *value.Task, a []value.Value) value.Value {
	loc := findFrom(t, a[0], 0)
	if loc == nil || loc[0] > 0 {
		found(t, a[0], nil, -1)
		return value.False
	}
	found(t, a[0], loc, loc[1])
	return value.True
}

// matchAll says whether a matcher's pattern matches the whole text.
func matchAll(t *value.Task, m value.Value) value.Value {
	vals := matcher(t, m)
	re, s := vals[matcherRegex].AsRegex().RE, vals[matcherText].AsString().S
	t.Charge(re.MatchBytes())
	loc, err := re.FullMatch(nil, s, poll(t))
	if err != nil {
		failRegex(t, err, re.String())
	}
	found(t, m, loc, -1)
	return value.Bool(loc != nil)
}

func matcherReset(t *value.Task, a []value.Value) value.Value {
	found(t, a[0], nil, 0)
	return a[0]
}

func reGroups(t *value.Task, a []value.Value) value.Value {
	last := matcher(t, a[0])[matcherLast]
	if last.IsNil() {
		t.Fail(diag.IllegalState, "No match found")
	}
	return last
}

// groupOf gives the number of the group that a method is asked for, 0 for all.
func groupOf(t *value.Task, re *jregex.Regexp, a []value.Value) int {
	if len(a) == 1 {
		return 0
	}
	if a[1].IsString() {
		n, ok := re.GroupIndex(a[1].AsString().S)
		if !ok {
			t.Fail(diag.IllegalArgument, "No group with name <%s>", a[1].AsString().S)
		}
		return n
	}
	n := value.ToInt(t, a[1])
	if n < 0 || n > int64(re.GroupCount()) {
		t.Fail(diag.OutOfRange, "No group %d", n)
	}
	return int(n)
}

func matcherGroup(t *value.Task, a []value.Value) value.Value {
	last := reGroups(t, a[:1])
	n := groupOf(t, matcher(t, a[0])[matcherRegex].AsRegex().RE, a)
	if !last.Is(value.Vectors) {
		return last
	}
	return value.VecAt(last, n)
}

// matcherPlace gives the method that tells where a group starts (side 0) or ends.
func matcherPlace(side int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		reGroups(t, a[:1])
		vals := matcher(t, a[0])
		n := groupOf(t, vals[matcherRegex].AsRegex().RE, a)
		at := int(value.VecAt(vals[matcherPlaces], 2*n+side).AsInt())
		if at < 0 {
			return value.Int(-1)
		}
		return value.Int(int64(t.CharsBefore(vals[matcherText].AsString(), at)))
	}
}
