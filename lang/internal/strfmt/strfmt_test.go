package strfmt

// This file compares the output with JVM Clojure's format, and tests the bounds and limits.

import (
	"bufio"
	"errors"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func atoi(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func text(s string) func() (string, error) {
	return func() (string, error) { return s, nil }
}

// decode reads an argument of the table: its kind, its value and, for doubles and decimals, the
// value of (str x).
func decode(t *testing.T, s string) Arg {
	t.Helper()
	kind, rest, _ := strings.Cut(s, " ")
	first, second, _ := strings.Cut(rest, " ")
	switch kind {
	case "nil":
		return Arg{}
	case "bool":
		return Arg{Kind: Bool, Bool: rest == "true",
			Hash: func() int32 { return map[string]int32{"true": 1231, "false": 1237}[rest] }}
	case "int":
		n := atoi(t, rest)
		return Arg{Kind: Int32, Int: n, Hash: func() int32 { return int32(n) }}
	case "long":
		n := atoi(t, rest)
		return Arg{Kind: Int, Int: n, Hash: func() int32 { return int32(uint64(n) ^ uint64(n)>>32) }}
	case "big":
		n, _ := new(big.Int).SetString(rest, 10)
		return Arg{Kind: BigInt, Big: n, Str: text(rest)}
	case "dbl":
		b, _ := strconv.ParseUint(first, 16, 64)
		return Arg{Kind: Float, Float: math.Float64frombits(b), Str: text(second),
			Hash: func() int32 { return int32(b ^ b>>32) }}
	case "dec":
		u, _ := new(big.Int).SetString(first, 10)
		scale, str, _ := strings.Cut(second, " ")
		return Arg{Kind: Decimal, Big: u, Scale: int32(atoi(t, scale)), Str: text(str)}
	case "char":
		n := atoi(t, rest)
		return Arg{Kind: Char, Int: n, Hash: func() int32 { return int32(n) }}
	case "str":
		h := int32(0)
		for _, r := range rest {
			h = 31*h + r
		}
		return Arg{Kind: Other, Class: "java.lang.String", Str: text(rest), Hash: func() int32 { return h }}
	}
	t.Fatalf("unknown argument %q", s)
	return Arg{}
}

// beyondTable matches the cases of the table that this package does not support: dates, and hashes
// of big numbers.
var beyondTable = regexp.MustCompile(`%[-#+ 0,(<\d$.]*[tT]|%[-#+ 0,(<\d$.]*[hH].*\t(big|dec) `)

func TestAgainstClojure(t *testing.T) {
	files, _ := filepath.Glob("testdata/format*.tsv")
	n := 0
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for sc := bufio.NewScanner(f); sc.Scan(); {
			line := sc.Text()
			if !strings.HasPrefix(line, "#") && !beyondTable.MatchString(line) {
				checkLine(t, strings.Split(line, "\t"))
				n++
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d cases read", n)
	}
}

func checkLine(t *testing.T, cols []string) {
	t.Helper()
	var args []Arg
	for _, c := range cols[1 : len(cols)-1] {
		args = append(args, decode(t, c))
	}
	want := cols[len(cols)-1]
	job, err := Prepare(cols[0], args, free)
	if err != nil {
		e, ok := errors.AsType[*Error](err)
		if got := "!" + e.Class + " " + e.Message; !ok || got != want {
			t.Errorf("%q:\n got %s\nwant %s", cols, got, want)
		}
		return
	}
	out := job.String()
	if got := strings.ReplaceAll(out, "\n", `\n`); got != want {
		t.Errorf("%q:\n got %s\nwant %s", cols, got, want)
	}
	if int64(len(out)) > job.OutputBytes() {
		t.Errorf("%q: %d bytes of output, bound is %d", cols, len(out), job.OutputBytes())
	}
}

func TestLimits(t *testing.T) {
	five := []Arg{{Kind: Int, Int: 5}}
	cases := []struct{ format, class, message string }{
		{"%1000001d", "LimitExceeded", "format width 1000001 exceeds the limit of 1000000"},
		{"%.1000001f", "LimitExceeded", "format precision 1000001 exceeds the limit of 1000000"},
		{"%99999999999d", "IllegalFormatWidthException", "-2147483648"},
		{"%tY", "NotSupported", "date conversion %tY is not supported"},
		{"%a", "NotSupported", "hexadecimal float conversion %a is not supported"},
	}
	for _, c := range cases {
		_, err := Prepare(c.format, five, free)
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Class != c.class || e.Message != c.message {
			t.Errorf("%s: got %v, want %s %s", c.format, err, c.class, c.message)
		}
	}
	job, err := Prepare("%1000000d", five, free)
	if err != nil || job.OutputBytes() != MaxWidth || len(job.String()) != MaxWidth {
		t.Errorf("the largest width: %v", err)
	}
}

// A decimal of one digit can have gigabytes of zeros. The bound must cover them before they are
// written.
func TestHugeScaleIsCharged(t *testing.T) {
	job, err := Prepare("%f", []Arg{{Kind: Decimal, Big: big.NewInt(1), Scale: -2000000000}}, free)
	if err != nil || job.OutputBytes() < 2000000000 {
		t.Errorf("bound is %d, error %v", job.OutputBytes(), err)
	}
	job, err = Prepare("%e %.3f", []Arg{{Kind: Decimal, Big: big.NewInt(1), Scale: -2000000000},
		{Kind: Decimal, Big: big.NewInt(1), Scale: 2000000000}}, free)
	if err != nil || job.OutputBytes() > 1000 || job.String() != "1.000000e+2000000000 0.000" {
		t.Errorf("bound is %d, error %v", job.OutputBytes(), err)
	}
}

func TestWidthCountsCodePoints(t *testing.T) {
	job, err := Prepare("%5s|%-5.2s|", []Arg{{Kind: Other, Str: text("é😀")}, {Kind: Other, Str: text("😀é!")}}, free)
	if err != nil || job.String() != "   é😀|😀é   |" {
		t.Errorf("got %q, %v", job.String(), err)
	}
}

func TestWorkBound(t *testing.T) {
	long := strings.Repeat("987654321", 5000)
	n, _ := new(big.Int).SetString(long, 10)
	for _, format := range []string{"%d", "%,d", "%x", "%f", "%e", "%,.3f"} {
		arg := Arg{Kind: BigInt, Big: n, Scale: 100}
		if strings.ContainsAny(format, "fe") {
			arg.Kind = Decimal
		}
		job, err := Prepare(format, []Arg{arg}, free)
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 0, job.OutputBytes())
		const runs = 20
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			job.Append(buf, func() {})
		}
		runtime.ReadMemStats(&after)
		got := int64(after.TotalAlloc-before.TotalAlloc) / runs
		if got > job.WorkBytes() {
			t.Errorf("%s allocates %d bytes, bound is %d", format, got, job.WorkBytes())
		}
	}
}

func FuzzFormat(f *testing.F) {
	for _, s := range []string{"%d", "%-5d|", "%05.2f", "%,d", "%(x", "%1$s %<s", "%%", "%n", "%é", "%-08.3e"} {
		f.Add(s, int64(-12345), 1.5)
	}
	f.Fuzz(func(t *testing.T, format string, i int64, x float64) {
		args := []Arg{{Kind: Int, Int: i}, {Kind: Float, Float: x, Str: text("x")},
			{Kind: Decimal, Big: big.NewInt(i), Scale: int32(i % 300), Str: text("d")}}
		for j := range args {
			args[j].Hash = func() int32 { return 7 }
		}
		job, err := Prepare(format, args, free)
		if err != nil {
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Errorf("%q: error %v is not an *Error", format, err)
			}
			return
		}
		out := job.String()
		if int64(len(out)) > job.OutputBytes() || utf8.ValidString(format) && !utf8.ValidString(out) {
			t.Errorf("%q: %d bytes, bound %d", format, len(out), job.OutputBytes())
		}
	})
}

func BenchmarkFormat(b *testing.B) {
	args := []Arg{{Kind: Int, Int: 42}, {Kind: Float, Float: 3.14159}, {Kind: Other, Str: text("hello")}}
	for b.Loop() {
		job, _ := Prepare("%5d %.2f %s", args, free)
		_ = job.String()
	}
}

// free ignores the work that it is told of.
func free(int64) {}
