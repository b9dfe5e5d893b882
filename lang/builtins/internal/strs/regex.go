// This file defines regular expressions.

package strs

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jregex"
	"github.com/ptc-lang/ptc/lang/value"
)

// regexes are the functions on patterns.
var regexes = []entry.Entry{
	{NS: "clojure.core", Name: "re-pattern", Args: "s", Cost: entry.PerByte, Purity: entry.Pure, Fn: rePattern,
		Doc: "Compiles a string to a pattern.", Examples: []string{`(re-pattern "a+") => #"a+"`, `(re-pattern "[") ` +
			`!illegal-argument`, "(re-pattern nil) !nil-value"}},
	{NS: "clojure.core", Name: "re-find", Args: "m:matcher | re:regex s:chars", Cost: entry.PerByte, Fn: reFind,
		Doc: "Returns the first match of a pattern in s, nil if there is none. A match is a string, or with groups a " +
			"vector of the match and its groups.", Examples: []string{`(re-find #"\d+" "a12b3") => "12"`, `(re-find ` +
			`#"(\w)=(\d)" "x=1") => ["x=1" "x" "1"]`, `(re-find #"a" nil) !nil-value`}},
	{NS: "clojure.core", Name: "re-matches", Args: "re:regex s:chars", Cost: entry.PerByte, Purity: entry.Reads,
		Fn:  reMatches,
		Doc: "Returns the match of a pattern with the whole of s, in the form of re-find; nil if it does not match.",
		Examples: []string{`(re-matches #"\d+" "12") => "12"`, `(re-matches #"\d+" "a12") => nil`,
			`(re-matches #"a" nil) !nil-value`}},
	{NS: "clojure.core", Name: "re-seq", Args: "re:regex s:chars", Cost: entry.PerByte, Purity: entry.Reads, Fn: reSeq,
		Doc:      "Returns a sequence of all matches of a pattern in s, in the form of re-find; nil if there is none.",
		Examples: []string{`(re-seq #"\w+" "a bc") => ("a" "bc")`, `(re-seq #"a" nil) !nil-value`}},
	{NS: "clojure.core", Name: "re-matcher", Args: "re:regex s:chars", Cost: entry.Constant, Fn: reMatcher,
		Doc:      "Returns a matcher, for re-find to step through the matches.",
		Examples: []string{`(re-find (re-matcher #"\d" "a1")) => "1"`, `(re-matcher #"a" nil) !nil-value`}},
	{NS: "clojure.core", Name: "re-groups", Args: "m:matcher", Cost: entry.Constant, Fn: reGroups,
		Doc: "Returns the last match of a matcher.",
		Examples: []string{`(let [m (re-matcher #"\d" "a1")] (re-find m) (re-groups m)) => "1"`,
			`(re-groups (re-matcher #"a" "b")) !illegal-state`}},
}

// compileRegex makes a pattern.
func compileRegex(t *value.Task, source string) value.Value {
	t.Work(int64(min(len(source), jregex.DefaultLimits.PatternBytes)) * 20)
	parsing := jregex.ParseBytes(source, jregex.DefaultLimits)
	t.Charge(parsing)
	p, err := jregex.Parse(source, jregex.DefaultLimits)
	if err != nil {
		failRegex(t, err, source)
	}
	compiling := p.CompileBytes()
	t.Charge(compiling)
	re, err := p.Compile()
	if err != nil {
		failRegex(t, err, source)
	}
	t.Credit(parsing + compiling)
	return t.Regex(re, re.HeldBytes())
}

// compilePattern is java.util.regex.Pattern/compile: the flags become flags in the pattern, but not
// in its source.
func compilePattern(t *value.Task, a []value.Value) value.Value {
	if len(a) == 1 {
		return rePattern(t, a)
	}
	const literal = 16
	bits := value.ToInt(t, a[1])
	source := a[0]
	if bits&literal != 0 {
		source = quote(t, a[:1])
	}
	flags := ""
	for i, letter := range "dixm\x00su\x00U" {
		if letter != 0 && bits>>i&1 != 0 {
			flags += string(letter)
		}
	}
	if flags != "" {
		source = Str(t, []value.Value{value.ConstString("(?" + flags + ")"), source})
	}
	re := compileRegex(t, source.AsString().S)
	re.AsRegex().Source = a[0].AsString().S
	return re
}

// patternHint returns the hint for a part of a pattern that Java does not have.
func patternHint(message, source string) string {
	for _, of := range [][2]string{
		{"(?P<", "Java writes a named group as (?<name>…)"}, {"(?P=", `Java writes a reference to a named group as \k<name>`},
		{"(?P>", "there is no recursion in patterns of Java"}, {"(?R", "there is no recursion in patterns of Java"},
		{`\K`, "write what stands before the match as (?<=…)"},
	} {
		if strings.Contains(source, of[0]) {
			return of[1]
		}
	}
	switch word, _, _ := strings.Cut(message, " "); word {
	case "Unclosed":
		return "a closing bracket is missing, or an opening one is a character, written with a backslash before it"
	case "Unmatched", "Dangling":
		return "a backslash before it makes it a character"
	case "named":
		return "the name of a group has letters and digits only"
	case "Illegal/unsupported":
		return "a backslash before a letter has a meaning for some letters only: leave it out, or write two"
	}
	return ""
}

// failRegex throws for a pattern: a syntax error as Java does.
func failRegex(t *value.Task, err error, source string) {
	message := err.Error() + ": " + value.Show(t, value.ConstString(source))
	if e, ok := err.(*jregex.Error); ok && e.Kind == jregex.Syntax {
		x := t.NewException(diag.IllegalArgument, message)
		x.Class, x.Hint = "java.util.regex.PatternSyntaxException", patternHint(e.Message, source)
		t.Throw(x)
	}
	t.Fail(diag.NotSupported, "regex: %s", message)
}

func rePattern(t *value.Task, a []value.Value) value.Value {
	switch a[0].Kind() {
	case value.KindRegex:
		return a[0]
	case value.KindString:
		return compileRegex(t, a[0].AsString().S)
	}
	entry.WantText(t, a[0], "re-pattern")
	return value.Nil
}

// Poll returns the function with which a search counts its work and the memory of its alternatives.
func Poll(t *value.Task) jregex.Poll {
	return func(steps, bytes int64) error {
		t.Work(steps)
		if bytes > 0 {
			t.Charge(bytes)
		} else {
			t.Credit(-bytes)
		}
		return nil
	}
}

// match returns a match as re-find does.
func match(t *value.Task, re *jregex.Regexp, s string, loc []int) value.Value {
	if re.GroupCount() == 0 {
		return t.CopyString(s[loc[0]:loc[1]])
	}
	vals := t.Vals(re.GroupCount() + 1)
	for i := range vals {
		if loc[2*i] >= 0 {
			vals[i] = t.CopyString(s[loc[2*i]:loc[2*i+1]])
		}
	}
	return t.VectorFrom(vals)
}

func reFind(t *value.Task, a []value.Value) value.Value {
	if len(a) == 1 {
		return findNext(t, a[0])
	}
	re, s := a[0].AsRegex().RE, a[1].AsString().S
	t.Charge(re.MatchBytes())
	loc, err := re.Find(nil, s, 0, Poll(t))
	if err != nil {
		failRegex(t, err, re.String())
	}
	if loc == nil {
		return value.Nil
	}
	return match(t, re, s, loc)
}

func reMatches(t *value.Task, a []value.Value) value.Value {
	re, s := a[0].AsRegex().RE, a[1].AsString().S
	t.Charge(re.MatchBytes())
	loc, err := re.FullMatch(nil, s, Poll(t))
	if err != nil {
		failRegex(t, err, re.String())
	}
	if loc == nil {
		return value.Nil
	}
	return match(t, re, s, loc)
}

// each calls f with the offsets of each match. The memory of a match, apart from that of f, is
// garbage when the next match begins, so it is charged once.
func each(t *value.Task, re *jregex.Regexp, s string, f func(loc []int) bool) {
	t.Charge(re.MatchBytes())
	sc := re.Scan(s, Poll(t))
	for {
		loc, err := sc.Next()
		if err != nil {
			failRegex(t, err, re.String())
		}
		if loc == nil || !f(loc) {
			return
		}
		t.Work(8)
	}
}

// Matches calls f with the offsets of each match of a pattern in a string, as long as f returns true.
func Matches(t *value.Task, pattern value.Value, s string, f func(loc []int) bool) {
	each(t, pattern.AsRegex().RE, s, f)
}

// Pattern returns v if it is a pattern, or the pattern that a string describes. what names the caller.
func Pattern(t *value.Task, v value.Value, what string) value.Value {
	if v.Kind() == value.KindRegex {
		return v
	}
	return compileRegex(t, entry.WantText(t, v, what))
}

func reSeq(t *value.Task, a []value.Value) value.Value {
	re, s := a[0].AsRegex().RE, a[1].AsString().S
	out := t.ValBuf()
	each(t, re, s, func(loc []int) bool {
		out.Add(match(t, re, s, loc))
		return true
	})
	row := out.Vals()
	return row.Onto(t, value.Nil)
}

func split(t *value.Task, a []value.Value) value.Value {
	re, s := a[1].AsRegex().RE, a[0].AsString().S
	limit := 0
	if len(a) == 3 {
		limit = int(value.ToInt(t, a[2]))
	}
	if sep, ok := re.Literal(); ok {
		return splitLiteral(t, a[0], sep, limit)
	}
	out := t.ValBuf()
	t.Charge(re.MatchBytes())
	err := jregex.Split(re, s, limit, Poll(t), func(piece string) error {
		out.Add(t.CopyString(piece))
		t.Work(8)
		return nil
	})
	if err != nil {
		failRegex(t, err, re.String())
	}
	return out.Vector()
}

// splitLiteral is split for a pattern that matches only one string, which is not empty.
func splitLiteral(t *value.Task, v value.Value, sep string, limit int) value.Value {
	s := v.AsString().S
	out := t.ValBuf()
	empty := 0 // pieces held back until it is known whether they trail
	add := func(piece string) {
		if piece == "" && limit == 0 {
			empty++
			return
		}
		for ; empty > 0; empty-- {
			out.Add(EmptyString)
		}
		out.Add(t.CopyString(piece))
	}
	from := 0
	for count := 1; limit <= 0 || count < limit; count++ {
		i := index(t, s[from:], sep)
		if i < 0 {
			break
		}
		t.Work(4)
		add(s[from : from+i])
		from += i + len(sep)
	}
	if from == 0 {
		out.Add(v)
	} else {
		add(s[from:])
	}
	return out.Vector()
}

func replaceRegex(t *value.Task, s, regex value.Value, replacement string, first bool) value.Value {
	re, in := regex.AsRegex().RE, s.AsString().S
	b := t.Buf()
	t.Charge(re.MatchBytes() + jregex.TemplateBytes(replacement))
	replaced, err := jregex.Replace(re, in, replacement, first, Poll(t), func(part string) error {
		b.WriteString(part)
		t.Work(4)
		return nil
	})
	if err != nil {
		failTemplate(t, err)
	}
	if !replaced {
		return s
	}
	return b.Value()
}

// failTemplate throws for a replacement as Java's Matcher does.
func failTemplate(t *value.Task, err error) {
	if e, ok := err.(*jregex.Error); ok && len(e.Message) > 9 && e.Message[:9] == "No group " && e.Message[9] != 'w' {
		t.Fail(diag.OutOfRange, "%s", e.Message)
	}
	t.Fail(diag.IllegalArgument, "%s", err.Error())
}

func matchParts(t *value.Task, a []value.Value) value.Value {
	re, s := a[1].AsRegex().RE, text(t, a[0], "replace")
	out := t.ValBuf()
	from := 0
	each(t, re, s, func(loc []int) bool {
		out.Add(t.CopyString(s[from:loc[0]]))
		out.Add(match(t, re, s, loc))
		from = loc[1]
		return !a[2].Truthy()
	})
	if out.Len() == 0 {
		return value.Nil
	}
	out.Add(t.CopyString(s[from:]))
	return out.Vector()
}
