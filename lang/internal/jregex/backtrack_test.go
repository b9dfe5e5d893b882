package jregex

// This file tests the backtracking engine: its bounds, and that it agrees with the linear engines.
// spec/oracle/tables/lookaround.clj compares it with Java.

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/internal/testlevel"
)

// backtracking compiles a pattern for the backtracking engine, whether it needs it or not.
func backtracking(t testing.TB, pattern string) *Regexp {
	t.Helper()
	root, p, err := parsePattern(pattern, 40_000)
	if err != nil {
		t.Fatalf("%s: %v", pattern, err)
	}
	parsed, err := parsedBacktrack(pattern, p, root, DefaultLimits)
	if err != nil {
		t.Fatalf("%s: %v", pattern, err)
	}
	re, _ := parsed.Compile()
	return re
}

// randomPattern returns a pattern of a grammar that both engines take. It has no group that repeats
// over an empty match, and no assertion on which the engines differ.
func randomPattern(r *rand.Rand, depth int) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		k := r.IntN(6)
		if depth > 0 {
			k = r.IntN(9)
		}
		switch k {
		case 0, 1, 2:
			b.WriteString([]string{"a", "b", "ab"}[k])
		case 3:
			b.WriteString("[ab]")
		case 4:
			b.WriteString(".")
		case 5:
			b.WriteString([]string{`\b`, `\A`, `\B`, `\w`}[r.IntN(4)])
			continue
		default:
			b.WriteString([]string{"(", "(?:", "(?i:"}[k-6] + "a" + randomPattern(r, depth-1) + "|b" + randomPattern(r, depth-1) + ")")
		}
		b.WriteString([]string{"", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{2,}?"}[r.IntN(12)])
	}
	return b.String()
}

func sameMatches(t *testing.T, pattern, s string) {
	t.Helper()
	linear, err := Compile(pattern, DefaultLimits)
	if err != nil || linear.back != nil {
		return
	}
	re := backtracking(t, pattern)
	if got, want := allText(t, re, s), allText(t, linear, s); got != want {
		t.Errorf("%s in %q:\nbacktracking %s\nlinear       %s", pattern, s, got, want)
	}
	got, _ := re.FullMatch(nil, s, nil)
	want, _ := linear.FullMatch(nil, s, nil)
	if locText(got) != locText(want) {
		t.Errorf("%s of all %q:\nbacktracking %s\nlinear       %s", pattern, s, locText(got), locText(want))
	}
}

func TestEnginesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range testlevel.Size(1000, 3000) {
		pattern := randomPattern(r, 2)
		for range 3 {
			s := make([]byte, r.IntN(8))
			for i := range s {
				s[i] = "aabbA c\n"[r.IntN(8)]
			}
			sameMatches(t, pattern, string(s))
		}
	}
}

// endless are searches that would take forever.
var endless = []struct{ pattern, unit string }{
	{`(a+)+$(?!x)b`, "a"}, {`(?=((a|aa)+)+b)c`, "a"}, {`(a*)*\1b`, "a"}, {`(?:a|a)*+b(?=c)|(?:a?){1000,}(?=b)`, "a"},
	{`(.*)(.*)(.*)(.*)\1\2x`, "ab"}, {`(?i)(a+)(\1+)+b`, "aA"},
	{`(?:(?=a+)a*?)*?b\b{0}(?!c)d`, "ab"},
}

// TestBacktrackingPolls checks that a search ends within one interval of the poll that refuses.
func TestBacktrackingPolls(t *testing.T) {
	for _, c := range endless {
		var steps int64
		_, err := mustCompile(t, c.pattern).Find(nil, strings.Repeat(c.unit, 100_000), 0, func(n, _ int64) error {
			if n > 8*machineSteps {
				t.Errorf("%s: %d steps between two polls", c.pattern, n)
			}
			if steps += n; steps > 3_000_000 {
				return errStop
			}
			return nil
		})
		if !errors.Is(err, errStop) {
			t.Errorf("%s: error %v after %d steps", c.pattern, err, steps)
		}
	}
}

// TestBacktrackingMemory checks that all memory of a search is reported, that a search ends if more
// is refused, and that it is returned.
func TestBacktrackingMemory(t *testing.T) {
	s := strings.Repeat("ab", 200_000)
	re := mustCompile(t, `(a|b)*(?=c)|(?:(a)|b)*$`)
	var held, most int64
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	loc, err := re.Find(nil, s, 0, func(_, n int64) error {
		held += n
		most = max(most, held)
		return nil
	})
	runtime.ReadMemStats(&after)
	if err != nil || loc == nil || loc[1] != len(s) {
		t.Fatalf("got %v, %v", loc, err)
	}
	if got, bound := int64(after.TotalAlloc-before.TotalAlloc), most+re.MatchBytes()+most/50; got > bound || held != 0 {
		t.Errorf("%d bytes allocated, %d reported; %d not returned", got, most, held)
	}
	_, err = re.Find(nil, s, 0, func(_, n int64) error {
		if n > 0 {
			return errStop
		}
		return nil
	})
	if !errors.Is(err, errStop) {
		t.Errorf("got %v, want the error of poll", err)
	}
}

// TestFindAfterEmptyMatch begins a search inside a code point, as a matcher does after an empty
// match.
func TestFindAfterEmptyMatch(t *testing.T) {
	if loc, _ := mustCompile(t, `(?=b)`).Find(nil, "éb", 1, nil); locText(loc) != "2,2" {
		t.Errorf("got %v", loc)
	}
}

func FuzzEngines(f *testing.F) {
	f.Add(`(a|ab)(c|bcd)*`, "abcd")
	f.Add(`(?<=a(?!b))\1(c)*+`, "acab")
	f.Fuzz(func(t *testing.T, pattern, s string) {
		re, err := Compile(pattern, Limits{128, 1000})
		if err != nil || re.back == nil {
			return
		}
		var steps int64
		sc := re.Scan(s, func(n, _ int64) error {
			if steps += n; steps > 1_000_000 {
				return errStop
			}
			return nil
		})
		for last := -1; ; {
			loc, err := sc.Next()
			if loc == nil || err != nil {
				return
			}
			if loc[0] < max(last, 0) || loc[1] < loc[0] || loc[1] > len(s) {
				t.Fatalf("%q in %q: match %v after %d", pattern, s, loc, last)
			}
			last = loc[1]
		}
	})
}
