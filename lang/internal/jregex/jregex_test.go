package jregex

// This file holds the tests that need no JVM results: errors, limits, memory and cancellation.

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestUnsupportedIsNamed(t *testing.T) {
	cases := []struct {
		pattern, message string
		kind             ErrorKind
	}{
		{`(?<=(?:a|b){1,3})c`, "Look-behind group does not have an obvious maximum length near index 15", Syntax},
		{`\k<x>(?<x>a)`, "named capturing group <x> does not exist near index 4", Syntax},
		{`\Ga`, `end of the previous match is not supported: \G near index 1`, Unsupported},
		{`\X`, `grapheme cluster is not supported: \X near index 1`, Unsupported},
		{`\p{InTibetan}`, `Unicode block is not supported: \p{InTibetan} near index 12`, Unsupported},
		{`[a`, "Unclosed character class near index 2", Syntax},
		{`(a`, "Unclosed group near index 2", Syntax},
		{`*a`, "Dangling meta character '*' near index 0", Syntax},
		{`\y`, "Illegal/unsupported escape sequence near index 1", Syntax},
		{`a)`, "Unmatched closing ')' near index 1", Syntax},
		{"a\xff", "pattern is not valid UTF-8", Syntax},
		{strings.Repeat("(", 300) + strings.Repeat(")", 300), "pattern is nested too deeply near index 199", Limit},
		{strings.Repeat("a", 16385), "pattern of 16385 bytes exceeds the limit of 16384", Limit},
		{strings.Repeat(`(?:\w{500}){2}`, 70), "pattern of 210143 instructions exceeds the limit of 20000", Limit},
	}
	for _, c := range cases {
		_, err := Compile(c.pattern, DefaultLimits)
		e, ok := errors.AsType[*Error](err)
		if !ok {
			t.Errorf("%.40s: error %v", c.pattern, err)
			continue
		}
		if e.Error() != c.message || e.Kind != c.kind {
			t.Errorf("%.40s:\n got %s (%d)\nwant %s (%d)", c.pattern, e, e.Kind, c.message, c.kind)
		}
	}
}

func mustCompile(t testing.TB, pattern string) *Regexp {
	t.Helper()
	re, err := Compile(pattern, DefaultLimits)
	if err != nil {
		t.Fatalf("%s: %v", pattern, err)
	}
	return re
}

func TestLineEnds(t *testing.T) {
	cases := []struct{ pattern, text, want string }{
		{`\d+$`, "12\n", "0,2"},
		{`\d+$`, "12\r\n", "0,2"},
		{`\d+\z`, "12\n", ""},
		{`(?m)^.*$`, "a\nb\n", "0,1;2,3"},
		{`(?m)^.*$`, "a\r\nb\r\n", "0,1;3,4"},
		{`(?m)^`, "", ""},
		{`(?m)^`, "a\nb\n", "0,0;2,2"},
		{`(?m)\s+$`, "a \r\nb \r\nc", "1,2;5,6"},
		{`(\w+$)`, "ab\n", "0,2,0,2"},
		{`$`, "ab\n", "2,2;3,3"},
		{`^\s+|\s+$`, "  a \n", "0,2;3,5"},
	}
	for _, c := range cases {
		if got := allText(t, mustCompile(t, c.pattern), c.text); got != c.want {
			t.Errorf("%s in %q: got %s, want %s", c.pattern, c.text, got, c.want)
		}
	}
}

func TestGroupNames(t *testing.T) {
	re := mustCompile(t, `(?<year>\d{4})-(\d\d)(?:-(?<day>\d\d))?`)
	if re.GroupCount() != 3 || re.GroupName(1) != "year" || re.GroupName(2) != "" {
		t.Errorf("groups %d, %q, %q", re.GroupCount(), re.GroupName(1), re.GroupName(2))
	}
	if i, ok := re.GroupIndex("day"); !ok || i != 3 {
		t.Errorf("day is group %d, %v", i, ok)
	}
	if _, ok := re.GroupIndex(""); ok {
		t.Error("a group without name is found")
	}
	loc, err := re.Find(nil, "on 2024-05", 0, nil)
	if err != nil || locText(loc) != "3,10,3,7,8,10,-1,-1" {
		t.Errorf("got %v, %v", loc, err)
	}
}

func TestFindSeesWhatIsBefore(t *testing.T) {
	cases := []struct {
		pattern string
		pos     int
		want    string
	}{
		{`^a`, 2, "nil"}, {`\bb`, 1, "3,4"}, {`a`, 1, "5,6"}, {`\Ba`, 2, "nil"}, {`(?m)^b`, 0, "nil"},
	}
	for _, c := range cases {
		loc, err := mustCompile(t, c.pattern).Find(nil, "ab b a", c.pos, nil)
		if err != nil || locText(loc) != c.want {
			t.Errorf("%s from %d: got %s, %v, want %s", c.pattern, c.pos, locText(loc), err, c.want)
		}
	}
}

var errStop = errors.New("stop")

func TestPollCancels(t *testing.T) {
	re := mustCompile(t, strings.Repeat(`(x+x+)+`, 20)+`y`)
	s := strings.Repeat("x", 1<<20)
	calls := 0
	_, err := re.Find(nil, s, 0, func(steps, _ int64) error {
		if calls++; calls == 3 {
			return errStop
		}
		return nil
	})
	if !errors.Is(err, errStop) || calls != 3 {
		t.Errorf("got %v after %d calls", err, calls)
	}
	// Polling does not change the result.
	re = mustCompile(t, `(\w+)@(\w+)\.com\b`)
	s = strings.Repeat("é a b ", 30000) + "me@example.com!"
	var steps int64
	polled, err := re.Find(nil, s, 0, func(n, _ int64) error { steps += n; return nil })
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := re.Find(nil, s, 0, nil)
	if locText(polled) != locText(plain) || steps == 0 {
		t.Errorf("polled %v, plain %v, %d steps", polled, plain, steps)
	}
}

func TestSplitStopsOnError(t *testing.T) {
	n := 0
	err := Split(mustCompile(t, ","), "a,b,c", -1, nil, func(string) error {
		if n++; n == 2 {
			return errStop
		}
		return nil
	})
	if !errors.Is(err, errStop) || n != 2 {
		t.Errorf("got %v after %d pieces", err, n)
	}
}

func TestTemplate(t *testing.T) {
	re := mustCompile(t, `(?<key>\w+)=(\w+)?`)
	s := "a=b c="
	cases := []struct{ replacement, want string }{
		{"$2:$1", "b:a :c"}, {`\$1`, "$1 $1"}, {"${key}!", "a! c!"}, {"$12", "a2 c2"},
		{"$3", "!No group 3"}, {"$", "!Illegal group reference: group index is missing"},
		{"$x", "!Illegal group reference"}, {`\`, "!character to be escaped is missing"},
		{"${nope}", "!No group with name {nope}"}, {"${key", "!named capturing group is missing trailing '}'"},
		{QuoteReplacement(`$1\`), `$1\ $1\`},
	}
	for _, c := range cases {
		if got := replaceText(re, s, c.replacement); got != c.want {
			t.Errorf("%s: got %s, want %s", c.replacement, got, c.want)
		}
	}
	tmpl, err := ParseTemplate("<$1-$2>", re)
	loc, _ := re.Find(nil, s, 0, nil)
	if out := tmpl.Append(nil, s, loc); err != nil || string(out) != "<a-b>" || tmpl.Len(loc) != int64(len(out)) {
		t.Errorf("got %s, %v, length %d", out, err, tmpl.Len(loc))
	}
}

func TestQuoted(t *testing.T) {
	for quoted, s := range map[string]string{`\Qa.b\E`: "a.b", `\Q\E\\E\Q\E`: `\E`, `\Qx\E\\E\Qy\E`: `x\Ey`, `\Q\E`: "",
		`\Qé[\E`: "é[", `\Q1+1\E`: "1+1"} {
		re := mustCompile(t, "x?"+quoted+"{0}?")
		if loc, _ := mustCompile(t, quoted).FullMatch(nil, s, nil); loc == nil || re == nil {
			t.Errorf("%q does not match %q", quoted, s)
		}
	}
}

// TestCompileBytes checks that CompileBytes covers the garbage of compiling and all programs that a
// pattern may need.
func TestCompileBytes(t *testing.T) {
	patterns := []string{
		`a`, `(?m)^\w+\s*$`, `\p{L}+\p{N}*`, strings.Repeat(`\p{L}`, 100), strings.Repeat("[a-f]|", 100) + "$",
		strings.Repeat("(a|b)*", 150), `(?:\w{500}){2}`, strings.Repeat("abcdefgh", 120), `(?iu)` + strings.Repeat("k", 500),
		`((((((((a{2}){2}){2}){2}){2}){2}){2}){2})`, strings.Repeat("a?", 200) + strings.Repeat("a", 200),
		strings.Repeat(`[\p{L}&&[^\p{Lu}]]`, 30),
	}
	for _, p := range patterns {
		var before, after, kept runtime.MemStats
		runtime.GC()
		runtime.GC() // empties the pools of package regexp
		runtime.ReadMemStats(&before)
		parsed, err := Parse(p, Limits{1 << 10, 100_000})
		if err != nil {
			t.Fatalf("%.40s: %v", p, err)
		}
		runtime.ReadMemStats(&after)
		if got, bound := int64(after.TotalAlloc-before.TotalAlloc), ParseBytes(p, Limits{1 << 10, 100_000}); got > bound {
			t.Errorf("%.40s: parsing takes %d bytes, bound is %d", p, got, bound)
		}
		start := after.TotalAlloc
		re, err := parsed.Compile()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{"ab", "a\r\n"} {
			for pos := range 2 {
				if _, err := re.Find(nil, s, pos, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := re.FullMatch(nil, "a", nil); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&kept)
		if held := int64(kept.HeapAlloc) - int64(before.HeapAlloc); held > re.HeldBytes() {
			t.Errorf("%.40s: keeps %d bytes, bound is %d", p, held, re.HeldBytes())
		} else {
			t.Logf("%.30s: keeps %.0f %% of the bound", p, 100*float64(held)/float64(re.HeldBytes()))
		}
		runtime.KeepAlive(re)
		got, bound := int64(after.TotalAlloc-start), parsed.CompileBytes()+6*re.StateBytes()
		t.Logf("%.30s: %d instructions, %d bytes, %.0f %% of the bound", p, re.Instructions(), got,
			100*float64(got)/float64(bound))
		if got > bound {
			t.Errorf("%.40s: %d bytes for %d instructions, bound is %d", p, got, re.Instructions(), bound)
		}
	}
}

// TestStateBytes checks the memory of a search, which grows with instructions times groups.
func TestStateBytes(t *testing.T) {
	s := strings.Repeat("ab", 20000)
	for _, p := range []string{strings.Repeat("(a|b)*", 150), strings.Repeat("(a)?", 250), `\w+`, `(\w+)\s*=\s*(\w+)$`} {
		re := mustCompile(t, p)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.GC() // empties the pools of package regexp
		runtime.ReadMemStats(&before)
		if _, err := re.Find(nil, s, 0, func(int64, int64) error { return nil }); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if got, bound := int64(after.TotalAlloc-before.TotalAlloc), re.StateBytes()+re.MatchBytes(); got > bound {
			t.Errorf("%.12s: %d bytes, bound is %d", p, got, bound)
		}
	}
}

// TestRefusedPatternsAreCheap checks that a rejected pattern costs no more than an accepted one.
func TestRefusedPatternsAreCheap(t *testing.T) {
	for _, p := range []string{`\p{Cn}`, `[\p{Cn}]`, `(?U)\w`, `(?U)\p{Print}`, `(?iu)[a-z]`, `[^\p{L}]`, `(?:a?){40}`,
		`(a|b)*`, `(?i)\P{Lu}`} {
		p = strings.Repeat(p, 1<<10/len(p))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Parse(p, DefaultLimits)
		runtime.ReadMemStats(&after)
		got, bound := int64(after.TotalAlloc-before.TotalAlloc), ParseBytes(p, DefaultLimits)
		t.Logf("%.20s: %d bytes, %v", p, got, err)
		if got > bound {
			t.Errorf("%.20s: %d bytes, bound is %d", p, got, bound)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, p := range []string{`a|b*`, `[^]a-z&&[^b]]`, `(?<n>\d{2,3})?$`, `\Qx\E(?i:K)`, `(?x) a #c`, `[[a]&&]`,
		`\p{Lu}{3}`, `(?m)^.$`, "[&&&", `\x{`, `(?`, `\`} {
		f.Add(p, "a\r\nbK1")
	}
	f.Fuzz(func(t *testing.T, pattern, s string) {
		re, err := Compile(pattern, Limits{256, 2000})
		if err != nil {
			if e, ok := errors.AsType[*Error](err); !ok || strings.HasPrefix(e.Message, "pattern cannot be expressed") {
				t.Errorf("%q: %v", pattern, err)
			}
			return
		}
		sc := re.Scan(s, nil)
		for n := 0; ; n++ {
			loc, err := sc.Next()
			if err != nil {
				t.Fatalf("%q: %v", pattern, err)
			}
			if loc == nil {
				break
			}
			if loc[0] < 0 || loc[1] < loc[0] || loc[1] > len(s) || n > len(s) {
				t.Fatalf("%q in %q: match %v", pattern, s, loc)
			}
		}
		loc, err := re.FullMatch(nil, s, nil)
		if err != nil || loc != nil && (loc[0] != 0 || loc[1] != len(s)) {
			t.Errorf("%q: full match %v, %v", pattern, loc, err)
		}
		total := 0
		_ = Split(re, s, -1, nil, func(p string) error { total += len(p); return nil })
		if total > len(s) || utf8.ValidString(s) && total < 0 {
			t.Errorf("%q: pieces of %d bytes from %d", pattern, total, len(s))
		}
	})
}

func BenchmarkScanWords(b *testing.B) {
	s := strings.Repeat("hello brave new world, ", 50)
	for _, pattern := range []string{`\w+`, `\b\w+\b`, `(\w+),`} {
		re := mustCompile(b, pattern)
		b.Run(pattern, func(b *testing.B) {
			for b.Loop() {
				sc := re.Scan(s, nil)
				for loc, _ := sc.Next(); loc != nil; loc, _ = sc.Next() {
				}
			}
		})
	}
}
