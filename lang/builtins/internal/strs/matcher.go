// This file defines matchers, which iterate over the matches of a pattern in a string.

package strs

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jregex"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

var onMatcher = value.Kinds(value.KindMatcher)

// matcherMethods are the methods of matchers, except matches, which strings have too.
func matcherMethods() []entry.Entry {
	return []entry.Entry{
		entry.Method("find", "| start", onMatcher, entry.PerByte,
			"Moves a matcher to its next match, from an index if given. Returns true if there is one.",
			`(.find (re-matcher #"a" "ba")) => true`, matcherFind),
		entry.Method("lookingAt", "", onMatcher, entry.PerByte,
			"Returns true if a matcher's pattern matches at the beginning of its string.",
			`(.lookingAt (re-matcher #"a" "ab")) => true`, matchStart),
		entry.Method("group", "| n-or-name", onMatcher, entry.Constant,
			"Returns the last match of a matcher, or a group of it, by its number or name.",
			`(let [m (re-matcher #"a(?<x>.)" "bab")] (.find m) [(.group m 1) (.group m "x")]) => ["b" "b"]`, matcherGroup),
		entry.Method("start", "| n-or-name", onMatcher|value.Kinds(value.KindFuture), entry.PerByte,
			"Returns the start index of the last match of a matcher, or of a group of it; -1 for a group that did not match. "+
				"Makes a future of the function of a thread.",
			`(let [m (re-matcher #"b" "abc")] (.find m) (.start m)) => 1`, start),
		entry.Method("end", "| n-or-name", onMatcher, entry.PerByte,
			"Returns the end index (exclusive) of the last match of a matcher, or of a group of it; -1 for a group that did "+
				"not match.", `(let [m (re-matcher #"b" "abc")] (.find m) (.end m)) => 2`, matcherOffset(1)),
		entry.Method("groupCount", "", onMatcher, entry.Constant, "Returns the number of groups in a matcher's pattern.",
			`(.groupCount (re-matcher #"(a)(b)" "")) => 2`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(matcher(t, a[0])[value.MatcherRegex].AsRegex().RE.GroupCount()))
			}),
		entry.Method("reset", "| s", onMatcher, entry.Constant,
			"Resets a matcher, to another string if given. Returns the matcher.",
			`(let [m (re-matcher #"a" "a")] (.find m) (.find (.reset m))) => true`, matcherReset),
		entry.Method("appendReplacement", "builder replacement", onMatcher, entry.PerByte,
			"Appends to a string builder the characters between the last two matches and the replacement of the last. Returns "+
				"the matcher.",
			`(let [m (re-matcher #"\d" "a1b") b (StringBuilder.)] (.find m) (.appendReplacement m b "<$0>") (str (.appendTail `+
				`m b))) => "a<1>b"`, appendReplacement),
		entry.Method("appendTail", "builder", onMatcher, entry.PerByte,
			"Appends to a string builder the characters after the last match that appendReplacement replaced. Returns the "+
				"builder.",
			`(str (.appendTail (re-matcher #"x" "ab") (StringBuilder.))) => "ab"`, appendTail),
	}
}

func reMatcher(t *value.Task, a []value.Value) value.Value {
	slots := t.Vals(value.MatcherSlots)
	slots[value.MatcherRegex], slots[value.MatcherText] = a[0], a[1]
	slots[value.MatcherPos], slots[value.MatcherAppended] = value.Int(0), value.Int(0)
	return t.Matcher(slots)
}

// matcher returns the slots of a matcher.
func matcher(_ *value.Task, m value.Value) []value.Value { return m.AsBox().Vals }

// found stores a match, nil for none, and the byte at which the search continues.
func found(t *value.Task, m value.Value, loc []int, next int) value.Value {
	vals := matcher(t, m)
	last, offsets := value.Nil, value.Nil
	if loc != nil {
		last = match(t, vals[value.MatcherRegex].AsRegex().RE, vals[value.MatcherText].AsString().S, loc)
		all := t.Vals(len(loc))
		for i, at := range loc {
			all[i] = value.Int(int64(at))
		}
		offsets = t.VectorFrom(all)
	}
	t.Owns(m, "matcher")
	vals[value.MatcherPos].SetInt(int64(next))
	vals[value.MatcherLast], vals[value.MatcherOffsets] = last, offsets
	return last
}

// findFrom returns the first match of a matcher's pattern at or after a byte.
func findFrom(t *value.Task, m value.Value, pos int) []int {
	vals := matcher(t, m)
	re, s := vals[value.MatcherRegex].AsRegex().RE, vals[value.MatcherText].AsString().S
	if pos < 0 || pos > len(s) {
		return nil
	}
	t.Charge(re.MatchBytes())
	loc, err := re.Find(nil, s, pos, Poll(t))
	if err != nil {
		failRegex(t, err, re.String())
	}
	return loc
}

func findNext(t *value.Task, m value.Value) value.Value {
	loc := findFrom(t, m, int(matcher(t, m)[value.MatcherPos].AsInt()))
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

// matchAll reports whether a matcher's pattern matches the whole text.
func matchAll(t *value.Task, m value.Value) value.Value {
	vals := matcher(t, m)
	re, s := vals[value.MatcherRegex].AsRegex().RE, vals[value.MatcherText].AsString().S
	t.Charge(re.MatchBytes())
	loc, err := re.FullMatch(nil, s, Poll(t))
	if err != nil {
		failRegex(t, err, re.String())
	}
	found(t, m, loc, -1)
	return value.Bool(loc != nil)
}

// matcherFind is find; with an index it forgets the previous matches.
func matcherFind(t *value.Task, a []value.Value) value.Value {
	if len(a) == 2 {
		slots := matcher(t, a[0])
		s, i := slots[value.MatcherText].AsString(), value.ToInt(t, a[1])
		if i < 0 || i > int64(t.Length(s)) {
			t.Fail(diag.OutOfRange, "Illegal start index")
		}
		at := t.Offset(s, int(i))
		t.Owns(a[0], "matcher")
		slots[value.MatcherPos].SetInt(int64(at))
		slots[value.MatcherAppended].SetInt(0)
	}
	return value.Bool(!findNext(t, a[0]).IsNil())
}

func matcherReset(t *value.Task, a []value.Value) value.Value {
	s := value.Nil
	if len(a) == 2 {
		entry.WantChars(t, a[1], "reset")
		s = entry.AsString(t, a[1])
	}
	found(t, a[0], nil, 0)
	slots := matcher(t, a[0])
	slots[value.MatcherAppended].SetInt(0)
	if !s.IsNil() {
		slots[value.MatcherText] = s
	}
	return a[0]
}

// HasGroup reports whether nth with a default value returns a group of a matcher and not that value. In
// Clojure it does not for the whole match of a pattern without groups.
func HasGroup(m value.Value, i int64) bool {
	groups := int64(m.AsBox().Vals[value.MatcherRegex].AsRegex().RE.GroupCount())
	return groups > 0 && i >= 0 && i <= groups
}

func appendReplacement(t *value.Task, a []value.Value) value.Value {
	reGroups(t, a[:1])
	slots := matcher(t, a[0])
	re, s := slots[value.MatcherRegex].AsRegex().RE, slots[value.MatcherText].AsString().S
	replacement := entry.WantText(t, a[2], "appendReplacement")
	wantBuilder(t, "appendReplacement", a[1])
	offsets := slots[value.MatcherOffsets]
	n := value.VecCount(offsets)
	t.Charge(jregex.TemplateBytes(replacement) + limits.ObjectSize(8*n))
	template, err := jregex.ParseTemplate(replacement, re)
	if err != nil {
		failTemplate(t, err)
	}
	loc := make([]int, n)
	for i := range loc {
		loc[i] = int(value.VecAt(offsets, i).AsInt())
	}
	between := s[slots[value.MatcherAppended].AsInt():loc[0]]
	size := int64(len(between)) + template.Len(loc)
	t.Work(size / 16)
	t.Charge(limits.BytesSize(int(size)))
	text := t.StringOfBytes(template.Append(append(value.Bytes(int(size))[:0], between...), s, loc))
	t.Owns(a[0], "matcher")
	BuilderAppend(t, []value.Value{a[1], text})
	slots[value.MatcherAppended].SetInt(int64(loc[1]))
	return a[0]
}

func appendTail(t *value.Task, a []value.Value) value.Value {
	slots := matcher(t, a[0])
	wantBuilder(t, "appendTail", a[1])
	s := slots[value.MatcherText].AsString().S
	return BuilderAppend(t, []value.Value{a[1], t.CopyString(s[slots[value.MatcherAppended].AsInt():])})
}

func wantBuilder(t *value.Task, what string, v value.Value) {
	if !IsBuilder(v) {
		t.Fail(diag.WrongType, "%s: got %s, want a StringBuilder", what, value.Describe(t, v))
	}
}

func reGroups(t *value.Task, a []value.Value) value.Value {
	last := matcher(t, a[0])[value.MatcherLast]
	if last.IsNil() {
		t.Fail(diag.IllegalState, "No match found")
	}
	return last
}

// groupOf returns the number of the group in the arguments of a method, 0 for the whole match.
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
	n := groupOf(t, matcher(t, a[0])[value.MatcherRegex].AsRegex().RE, a)
	if !last.Is(value.Vectors) {
		return last
	}
	return value.VecAt(last, n)
}

// start is the method of matchers and of threads.
func start(t *value.Task, a []value.Value) value.Value {
	if a[0].Is(onMatcher) {
		return matcherOffset(0)(t, a)
	}
	if len(a) > 1 || !value.IsSort(a[0], value.SortThread) {
		entry.NoMethod(t, "start", a[0], len(a)-1)
	}
	return t.Host.Futures().Library("%start-thread", a...)
}

// matcherOffset returns the method for the start (side 0) or the end of a group.
func matcherOffset(side int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		reGroups(t, a[:1])
		vals := matcher(t, a[0])
		n := groupOf(t, vals[value.MatcherRegex].AsRegex().RE, a)
		at := int(value.VecAt(vals[value.MatcherOffsets], 2*n+side).AsInt())
		if at < 0 {
			return value.Int(-1)
		}
		return value.Int(int64(t.CharsBefore(vals[value.MatcherText].AsString(), at)))
	}
}
