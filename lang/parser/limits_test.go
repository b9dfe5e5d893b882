package parser

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// nests are the kinds of nesting: the text that opens a level and the text that closes it.
var nests = []struct{ open, inner, end string }{
	{"(", "a", ")"}, {"[", "a", "]"}, {"{:a ", "b", "}"}, {"#{", "a", "}"}, {"'", "a", ""}, {"@", "a", ""}, {"#'", "a", ""},
	{"~", "a", ""}, {"~@", "a", ""}, {"^:a ", "b", ""}, {"#_", "a", " b"}, {"#:a{:b ", "c", "}"}, {"#?(:clj ", "a", ")"},
	{"(#?@(:clj [", "a", "]))"}, {"#inst ", `"2020"`, ""}, {"^", "a", " b"}, {"^{:a ", "b", "} c"},
}

func TestNestingLimit(t *testing.T) {
	const limit = 30
	opts := Options{Limits: limits.Limits{Nesting: limit},
		Tags: func(_ *value.Task, _, form value.Value) (value.Value, bool) { return form, true }}
	for _, n := range nests {
		levels := strings.Count(n.open, "(") + strings.Count(n.open, "[")
		levels = max(levels, 1)
		if strings.HasPrefix(n.open, "^{") {
			levels = 2
		}
		for _, c := range []struct {
			depth int
			ok    bool
		}{{limit / levels, true}, {limit/levels + 1, false}} {
			source := strings.Repeat(n.open, c.depth) + n.inner + strings.Repeat(n.end, c.depth)
			_, err := Parse(newTask(), token.NewFile("test", source), opts)
			switch {
			case c.ok && err != nil:
				t.Errorf("%d times %q: %v", c.depth, n.open, err)
			case !c.ok && (err == nil || err.Code != diag.NestingTooDeep):
				t.Errorf("%d times %q: got %v, want %s", c.depth, n.open, err, diag.NestingTooDeep)
			}
		}
	}
}

// TestDeepSourceIsCheap checks that a source of opening brackets alone fails with little memory and
// a small stack.
func TestDeepSourceIsCheap(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 10))
	for _, n := range append(nests, struct{ open, inner, end string }{"`", "a", ""}) {
		source := strings.Repeat(n.open, 90_000)
		task := newTask()
		done := make(chan *diag.Error)
		go func() {
			_, err := Parse(task, token.NewFile("test", source), Options{})
			done <- err
		}()
		err := <-done
		if err == nil || err.Code != diag.NestingTooDeep {
			t.Errorf("%q: got %v, want %s", n.open, err, diag.NestingTooDeep)
		}
		if task.Used() > 512<<10 {
			t.Errorf("%q: took %d bytes", n.open, task.Used())
		}
	}
}

func TestSourceLimit(t *testing.T) {
	opts := Options{Limits: limits.Limits{SourceBytes: 10}}
	if _, err := Parse(newTask(), token.NewFile("test", "(a 345678)"), opts); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	const want = "the source has 11 bytes, the limit is 10"
	file := token.NewFile("test", "(a 3456789)")
	if _, err := Parse(newTask(), file, opts); err == nil || err.Code != diag.SourceTooLarge || err.Message != want {
		t.Errorf("above the limit: got %v, want %s", err, want)
	}
	if _, _, _, err := ParseOne(newTask(), file, 0, opts); err == nil || err.Code != diag.SourceTooLarge {
		t.Errorf("ParseOne above the limit: got %v, want %s", err, want)
	}
}

// hostile returns sources of about n bytes that could cost more than their length.
func hostile(n int) map[string]string {
	numbers := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	// Strings with equal hashes: "Aa" and "BB" have the same hash in Java.
	var equalHash strings.Builder
	for i := range min(1<<14, n/32) {
		equalHash.WriteByte('"')
		for bit := range 14 {
			equalHash.WriteString([]string{"Aa", "BB"}[i>>bit&1])
		}
		equalHash.WriteString("\" ")
	}
	return map[string]string{
		"a vector of numbers":    "[" + numbers("%d ") + "]",
		"a set of symbols":       "#{" + numbers("s%d ") + "}",
		"a map of equal hashes":  "{" + equalHash.String() + "}",
		"one symbol":             strings.Repeat("s", n),
		"one string":             `"` + strings.Repeat("s", n) + `"`,
		"escapes":                `"` + strings.Repeat(`\n`, n/2) + `"`,
		"octal escapes":          `"` + strings.Repeat(`\0`, n/2) + `"`,
		"an open string":         `"` + strings.Repeat(`\"`, n/2),
		"a number":               strings.Repeat("9", n),
		"a number with a point":  "1." + strings.Repeat("9", n),
		"spaces":                 strings.Repeat(" ", n),
		"comments":               strings.Repeat(";\n", n/2),
		"pairs of brackets":      strings.Repeat("()", n/2),
		"closing brackets":       strings.Repeat(")", n),
		"a list of empty lists":  "(" + strings.Repeat("()", n/2) + ")",
		"a template of gensyms":  "`(" + numbers("s%d# ") + ")",
		"templates":              numbers("`(a%d# ~b)"),
		"a template of vectors":  "`[" + strings.Repeat("[]", n/5) + "]",
		"discards":               strings.Repeat("#_a ", n/4),
		"metadata":               strings.Repeat("^:a b ", n/6),
		"metadata of metadata":   strings.Repeat("^{:a 1 :b 2} ", 500) + "c",
		"a template in template": "`(a `(b `(c `(d ~~~~" + strings.Repeat("e", 1000) + "))))",
		"tags":                   strings.Repeat(`#inst "2020" `, n/14),
		"functions":              strings.Repeat("#(a %20 %&) ", n/12),
		"bad UTF-8":              strings.Repeat("é", n/3) + "\xff",
		"colons":                 strings.Repeat(":", n),
		"slashes":                strings.Repeat("/", n),
		"hashes":                 strings.Repeat("#", n),
		"backslashes":            strings.Repeat(`\`, n),
	}
}

// TestHostileSources checks that each source ends in forms, an error or a bound, in time.
func TestHostileSources(t *testing.T) {
	for name, source := range hostile(testlevel.Size(100_000, 1_000_000)) {
		t.Run(name, func(t *testing.T) {
			task := newTask()
			start := time.Now()
			defer func() {
				if p := recover(); p != nil {
					if _, refused := p.(limits.Refused); !refused {
						panic(p)
					}
				}
				if took := time.Since(start); took > 10*time.Second {
					t.Errorf("took %v", took)
				}
			}()
			Parse(task, token.NewFile("test", source), Options{Limits: limits.Limits{SourceBytes: 2 << 20}})
		})
	}
}

// TestCharges checks that the charges of a parse cover the memory of its result.
func TestCharges(t *testing.T) {
	size := testlevel.Size(100_000, 1_000_000)
	sources := hostile(size)
	sources["ordinary code"] = ordinaryCode(size)
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			task := &value.Task{Owner: 1}
			task.Start(context.Background(), 4<<30, 1e12, time.Hour)
			file := token.NewFile("test", source)
			before := heap()
			forms, err := Parse(task, file, Options{Limits: limits.Limits{SourceBytes: 2 << 20}})
			after := heap()
			if made := after - before; made > task.Used()+slack {
				t.Errorf("%d bytes are in use, %d were charged", made, task.Used())
			}
			runtime.KeepAlive(forms)
			runtime.KeepAlive(err)
			runtime.KeepAlive(file)
		})
	}
}

// slack is the memory that a parse may keep without a charge: the reader in the pool.
const slack = 128 << 10

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestUnwinding checks that a parse that a bound unwinds leaves no state that the next parse on the
// same reader would see, and that it can be run again.
func TestUnwinding(t *testing.T) {
	source := ordinaryCode(20_000)
	file := token.NewFile("test", source)
	whole := newTask()
	want, err := Parse(whole, file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for memory := int64(0); memory < whole.Used(); memory += 7919 {
		task := &value.Task{Owner: 1}
		task.Start(context.Background(), memory, 1e9, time.Minute)
		func() {
			defer func() {
				if _, refused := recover().(limits.Refused); !refused {
					t.Errorf("with %d bytes: not refused", memory)
				}
			}()
			Parse(task, file, Options{})
		}()
		again := newTask()
		got, err := Parse(again, file, Options{})
		if err != nil || len(got) != len(want) || again.Used() != whole.Used() {
			t.Fatalf("after a refusal at %d bytes: got %d forms, %v, %d bytes, want %d and %d", memory, len(got), err,
				again.Used(), len(want), whole.Used())
		}
	}
}

// TestSteps checks that a parse polls its bounds.
func TestSteps(t *testing.T) {
	task := &value.Task{Owner: 1}
	task.Start(context.Background(), 1<<30, 10_000, time.Minute)
	defer func() {
		if stop, ok := recover().(limits.Stop); !ok || stop.Bound != limits.BoundSteps {
			t.Errorf("got %v, want the bound of steps", stop)
		}
	}()
	Parse(task, token.NewFile("test", ordinaryCode(1<<20)), Options{})
	t.Error("the parse has ended")
}

// TestReadersTogether uses the pool of readers from many goroutines.
func TestReadersTogether(t *testing.T) {
	file := token.NewFile("test", ordinaryCode(5_000))
	task := newTask()
	forms, err := Parse(task, file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := pr(task, task.Vector(forms...))
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for range 20 {
				task := newTask()
				forms, err := Parse(task, file, Options{})
				if err != nil || pr(task, task.Vector(forms...)) != want {
					t.Errorf("got other forms, %v", err)
				}
				Parse(newTask(), token.NewFile("bad", strings.Repeat("(a", i*100)), Options{})
			}
		})
	}
	wait.Wait()
}
