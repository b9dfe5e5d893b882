package jregex

// This file compares one-pass patterns with the programs of package regexp.

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/internal/testlevel"
)

func TestOnepass(t *testing.T) {
	onepass := []string{`\s+`, `[^a-z]+`, `,`, `, `, `,\s*`, `\d+`, `(\d+)-(\d+)`, `\d+-\d+-\d+`, `(\w+)=(\w+)`, `-?\d+`,
		`^(\w+) (\w+)`,
		`(\d{4})-(\d{2})-(\d{2})`, `key=\w+;`, `[aeiou]`, `a*`, `.`, `\p{L}+`, `(?i)abc`, `\.`, `"[^"]*"`, `<[^>]+>`, `-?\d+%`, `\$\{[^}]*\}`}
	for _, pattern := range onepass {
		if mustCompile(t, pattern).onepass == nil {
			t.Errorf("%s is not one-pass", pattern)
		}
	}
	others := []string{``, `a|b`, `a+?`, `a*a`, `\w+ed`, `(ab)+`, `\bx`, `x$`, `[\w.]+@[\w.]+\.com`, `a[ab]*c`, `a^b`,
		`(?m)^a`, `[ab]x?[ab]*c`, `<[^>]*>x`}
	for _, pattern := range others {
		if mustCompile(t, pattern).onepass != nil {
			t.Errorf("%s is one-pass", pattern)
		}
	}
}

// onepassParts are the parts of the patterns in TestOnepassAgrees.
var onepassParts = []string{`a`, `b`, `ab`, `[ab]`, `[^a]`, `\d`, `\w`, `\s`, `-`, `=`, `.`, `é`, `[é日]`, `(?i)a`,
	`[a-cé]`, `\W`, `[^=]`, `[^-]`}

func TestOnepassAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	counts := []string{"", "", "+", "*", "?", "{2}", "{1,3}", "{2,}"}
	onepass, patterns := 0, testlevel.Size(6_000, 30_000)
	for range patterns {
		var b strings.Builder
		if r.IntN(12) == 0 {
			b.WriteByte('^')
		}
		for range 1 + r.IntN(4) {
			part := onepassParts[r.IntN(len(onepassParts))]
			if part != "ab" {
				part += counts[r.IntN(len(counts))]
			}
			if r.IntN(4) == 0 {
				part = "(" + part + ")"
			}
			b.WriteString(part)
		}
		p, err := Parse(b.String(), DefaultLimits)
		if err != nil {
			t.Fatalf("%s: %v", b.String(), err)
		}
		one, _ := p.Compile()
		if one.onepass == nil {
			continue
		}
		onepass++
		other := &Regexp{pattern: p.text, names: p.names, instructions: p.instructions}
		if err := other.compile(p); err != nil {
			t.Fatal(err)
		}
		for range 6 {
			s := randomText(r)
			if got, want := allText(t, one, s), allText(t, other, s); got != want {
				t.Fatalf("%s in %q:\n got %s\nwant %s", p.text, s, got, want)
			}
			got, _ := one.FullMatch(nil, s, nil)
			want, _ := other.FullMatch(nil, s, nil)
			if locText(got) != locText(want) {
				t.Fatalf("%s of all %q:\n got %s\nwant %s", p.text, s, locText(got), locText(want))
			}
		}
	}
	if onepass < patterns/3 {
		t.Errorf("only %d of %d patterns are one-pass", onepass, patterns)
	}
}

func randomText(r *rand.Rand) string {
	const chars = "aabbc12 -=é日\nA_\xff"
	runes := []rune(chars)
	var b strings.Builder
	for range r.IntN(14) {
		c := runes[r.IntN(len(runes))]
		if c == '\ufffd' {
			b.WriteByte(0xff)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// TestOnepassLinear searches strings in which every attempt fails late.
func TestOnepassLinear(t *testing.T) {
	if testing.Short() {
		t.Skip()
	}
	const n = 1 << 20
	cases := []struct{ pattern, unit string }{
		{`a+b`, "a"}, {`a{2,}b`, "a"}, {`\d+-\d+-\d+;`, "12-"}, {`key=\w+;`, "key=abc "}, {`[ab]+-[ab]+;`, "ab-"}, {`"[^"]*"x`, `"`},
		{`-?\d+%`, "-1"}, {`a{1,20}b`, "a"}, {`<[^>]+>`, "<"}, {`\$\{[^}]*\}`, "${"},
	}
	for _, c := range cases {
		re := mustCompile(t, c.pattern)
		if re.onepass == nil {
			t.Errorf("%s is not one-pass", c.pattern)
			continue
		}
		s := strings.Repeat(c.unit, n/len(c.unit))
		var steps int64
		loc, err := re.Find(nil, s, 0, func(n, _ int64) error { steps += n; return nil })
		if loc != nil || err != nil {
			t.Errorf("%s: %v, %v, want no match", c.pattern, loc, err)
		}
		if steps > 4*n { // a{1,20}b looks at up to 20 characters from each place
			t.Errorf("%s: 1 MB took %d steps", c.pattern, steps)
		}
	}
}

func TestOnepassPolls(t *testing.T) {
	stop := fmt.Errorf("stop")
	for _, pattern := range []string{`a+b`, `[^a]+x`, `b`, `é+b`} {
		s := strings.Repeat("a", 4<<20)
		if pattern == `é+b` {
			s = strings.Repeat("é", 2<<20)
		}
		calls := 0
		_, err := mustCompile(t, pattern).Find(nil, s, 0, func(int64, int64) error {
			if calls++; calls == 2 {
				return stop
			}
			return nil
		})
		if err != stop && pattern != "b" {
			t.Errorf("%s: error %v after %d calls, want the one of poll", pattern, err, calls)
		}
	}
}

func BenchmarkOnepassSplit(b *testing.B) {
	s := strings.Repeat("some words, and More words.\n", 40_000)
	re := mustCompile(b, `[^a-z]+`)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		if err := Split(re, s, 0, nil, func(string) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
