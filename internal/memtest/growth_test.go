//go:build probe

// This file tests every builtin with growing arguments: it must charge the memory it allocates, and
// account for its work.

package memtest

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

const (
	smallN = 1_000
	largeN = 4 * smallN
	// uncharged is the memory that a call may allocate, or keep alive, without a charge as its
	// argument grows: the memory of unwinding to the machine and back when a lazy sequence is
	// realised.
	uncharged = 8 << 10
	// pooled is the memory that the regular expressions and the reader keep between calls.
	pooled = 64 << 10
	// perUnit is the maximum number of bytes that a builtin may allocate for a unit of work: a
	// block that is only cleared or copied.
	perUnit = 2048
	// maxTries bounds the number of argument combinations tried with a growing argument.
	maxTries = 32
)

// growing are expressions for arguments of n elements or bytes.
var growing = []string{
	`(vec (range n))`, `(apply list (range n))`, `(doall (map inc (range n)))`, `(zipmap (range n) (range n))`,
	`(set (range n))`, `(into (sorted-map) (zipmap (range n) (range n)))`, `(apply str (repeat n "a1, "))`,
	`(apply str (repeat n "é"))`, `n`, `(mapv vector (range n) (range n))`, `(mapv str (range n))`, `(atom (vec (range n)))`,
	`(vec (repeat n {:a 1 :b "x"}))`, `(object-array (range n))`, `(transient (vec (range n)))`, `(%box-of (vec (range n)))`,
	`(reduce *' (repeat (quot n 64) 1000000007))`, `(str "[" (apply str (repeat n "1, ")) "2]")`, `(keyword (apply str (repeat n "k")))`,
	`(volatile! (vec (range n)))`, `(StringBuilder. (apply str (repeat n "x")))`,
}

// beside are expressions for the other arguments.
var beside = []string{`identity`, `1`, `"a"`, `[1 2]`, `{:a 1}`, `+`, `nil`, `:a`, `#"[a-z]|,"`, `#{1}`, `compare`,
	`\a`, `(fn [& _] true)`,
	`(%box-of [1 2])`, `'a`, `(atom 1)`}

// bench calls builtins on one machine.
type bench struct {
	t     *testing.T
	m     *eval.Evaluation
	env   *compile.Env
	f     int               // index of the function's global
	args  [4]int            // indices of the arguments' globals
	calls [5]*compile.Proto // by number of arguments
	grown [][2]value.Value  // the growing arguments, small and large
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, m: eval.New(), env: compile.NewEnv()}
	b.f = b.env.Intern("user", "f")
	for i := range b.args {
		b.args[i] = b.env.Intern("user", fmt.Sprintf("a%d", i))
	}
	b.env.Intern("user", "n")
	b.restart()
	for i := range b.calls {
		b.calls[i] = b.compile("(f a0 a1 a2 a3"[:2+3*i] + ")")
	}
	for _, expr := range growing {
		b.grown = append(b.grown, [2]value.Value{b.value(expr, smallN), b.value(expr, largeN)})
	}
	return b
}

// restart resets the bounds of the machine and empties its account. Globals keep their values.
func (b *bench) restart() {
	b.m.SetUsed(0)
	bounds := limits.Limits{Memory: 128 << 20, Steps: 150_000, Timeout: time.Minute}.OrDefault()
	b.m.Start(context.Background(), eval.Options{Env: b.env, Owner: 2, Seed: 1,
		Shared: eval.Shared{Output: func(_, _ string) {}},
		Limits: &bounds})
}

func (b *bench) compile(source string) *compile.Proto {
	task := &value.Task{}
	task.Start(context.Background(), 64<<20, 1<<30, time.Minute)
	files := &token.FileSet{}
	form, _, _, err := parser.ParseOne(task, files.Add("growth", source), 0,
		parser.Options{Limits: limits.Default(), NS: "user"})
	if err != nil {
		b.t.Fatal(err)
	}
	c := compile.New(task, b.env, files, nil)
	protos := c.Forms([]value.Value{form})
	if err := c.Err(); err != nil {
		b.t.Fatalf("%s: %v", source, err)
	}
	return protos[0]
}

// value returns the value of an expression. (%name x) calls a private builtin.
func (b *bench) value(expr string, n int) value.Value {
	b.restart()
	b.m.SetGlobal(b.env.Intern("user", "n"), value.Int(int64(n)))
	name, arg, private := strings.Cut(strings.TrimPrefix(expr, "("), " ")
	if !private || !strings.HasPrefix(name, "%") {
		v, err := b.m.Run(b.compile(expr))
		if err != nil {
			b.t.Fatalf("%s: %v", expr, err)
		}
		return v
	}
	b.m.SetGlobal(b.args[0], b.value(strings.TrimSuffix(arg, ")"), n))
	b.m.SetGlobal(b.f, builtins.Lookup("clojure.core", name).Native())
	v, err := b.m.Run(b.calls[1])
	if err != nil {
		b.t.Fatalf("%s: %v", expr, err)
	}
	return v
}

// cost is the cost of a call.
type cost struct{ allocated, charged, steps int64 }

// call calls f; ok is false if it failed.
func (b *bench) call(f value.Value, args []value.Value) (c cost, ok bool) {
	b.restart()
	b.m.SetGlobal(b.f, f)
	for i, a := range args {
		b.m.SetGlobal(b.args[i], a)
	}
	steps := b.m.Steps()
	limits.Probe = func(_ *limits.Meter, n int64) { c.charged += n }
	before := allocated()
	_, err := b.m.Run(b.calls[len(args)])
	c.allocated = allocated() - before
	limits.Probe = nil
	c.steps = b.m.Steps() - steps
	return c, err == nil
}

// trusting are the private functions that macros for types, protocols and multimethods call. They
// do not check the arguments, which come from our macros. Their costs do not grow with a program's
// data.
var trusting = strings.Fields(`%add-method %assert-failed %bad-derive %bases %global-hierarchy %invoke-method %kwargs
	%map->record %multi-dispatch %multi-fn %multi-method %no-descendants %no-match %object %protocol %protocol-fn %record
	%record-type %reify %set-field %state %supers`)

// callable returns an entry as a function, or nil if it is not a function.
func callable(e *builtins.Entry) value.Value {
	switch {
	case e.Private && slices.Contains(trusting, e.Name):
	case e.Fn != nil:
		return e.Native()
	case e.Source != "":
		return compile.PreludeFn(e)
	}
	return value.Nil
}

func TestBuiltinsChargeWhatTheyTake(t *testing.T) {
	oneProcessor(t)
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	b := newBench(t)
	var fixed []value.Value
	for _, expr := range beside {
		fixed = append(fixed, b.value(expr, 0))
	}
	sample := 20 // one of this many functions is called
	if *thorough {
		sample = 1
	}
	nth, tried, grew := 0, 0, 0
	for e := range builtins.All() {
		f := callable(e)
		if f.IsNil() {
			continue
		}
		if nth++; nth%sample != 0 {
			continue
		}
		tried++
		if b.grow(e, f, fixed) {
			grew++
		}
	}
	runtime.KeepAlive(fixed)
	t.Logf("%d functions, %d of them take an argument that grows", tried, grew)
}

// grow calls an entry with each growing argument in each position that accepts it, and reports
// whether any call succeeded.
func (b *bench) grow(e *builtins.Entry, f value.Value, fixed []value.Value) (any bool) {
	for _, s := range e.Signatures() {
		n := len(s.Names)
		if n == 0 || n > len(b.args) {
			continue
		}
		for place := range n {
			for i, expr := range growing {
				if small := b.grown[i][0]; !small.Is(s.Kinds[place]) {
					continue
				}
				args := make([]value.Value, n)
				low, ok := b.beside(f, args, s.Kinds, i, place, fixed)
				if !ok {
					continue
				}
				any = true
				larger := func() []value.Value {
					args[place] = b.argument(i, 1)
					return args
				}
				if high, ok := b.call(f, larger()); ok {
					b.check(e, f, larger, fmt.Sprintf("with %s in place %d", expr, place), low, high)
				}
			}
		}
	}
	return any
}

// argument returns a growing argument, the larger one if size is 1. It makes a new one if it is
// mutable.
func (b *bench) argument(i, size int) value.Value {
	if v := b.grown[i][size]; v.Is(value.Kinds(value.KindVector, value.KindList, value.KindHashMap, value.KindHashSet,
		value.KindSortedMap,
		value.KindString, value.KindInt, value.KindBigInt, value.KindKeyword)) {
		return v
	}
	return b.value(growing[i], [2]int{smallN, largeN}[size])
}

// beside finds values for the other arguments with which the call succeeds.
func (b *bench) beside(f value.Value, args []value.Value, kinds []value.KindSet, grown, place int,
	fixed []value.Value) (cost, bool) {
	for try := range maxTries {
		args[place] = b.argument(grown, 0)
		choice := try
		for i := range args {
			if i != place {
				args[i] = fixed[choice%len(fixed)]
				choice /= len(fixed)
				if !args[i].Is(kinds[i]) {
					goto next
				}
			}
		}
		if choice > 0 {
			return cost{}, false
		}
		if _, ok := b.call(f, args); ok {
			// The first call may allocate values that are made once per process.
			args[place] = b.argument(grown, 0)
			c, ok := b.call(f, args)
			return c, ok
		}
	next:
	}
	return cost{}, false
}

// check compares the growth of a call's cost with its charges.
func (b *bench) check(e *builtins.Entry, f value.Value, args func() []value.Value, what string, low, high cost) {
	allocated, charged, steps := high.allocated-low.allocated, high.charged-low.charged, high.steps-low.steps
	if charged > 16*(largeN-smallN)*2 && steps < charged/perUnit {
		b.t.Errorf("%s %s: makes %d bytes more for a larger argument in %d steps more", e.Qualified(), what, charged, steps)
	}
	if allocated <= charged+charged/50+uncharged {
		return
	}
	// It makes uncharged garbage. Test whether that stays alive.
	if gap := b.gap(f, args()); gap > pooled {
		b.t.Errorf("%s %s: allocates %d bytes more for a larger argument and charges %d; %d bytes live beyond the account",
			e.Qualified(), what, allocated, charged, gap)
	}
}

// gap returns the maximum number of live bytes beyond the account during a call.
func (b *bench) gap(f value.Value, args []value.Value) int64 {
	o := &oracle{main: &b.m.Meter, every: 32 << 10, seed: 1}
	b.restart()
	o.heap()
	o.base = o.heap()
	b.m.SetGlobal(b.f, f)
	for i, a := range args {
		b.m.SetGlobal(b.args[i], a)
	}
	limits.Probe = o.watch
	b.m.Run(b.calls[len(args)])
	limits.Probe = nil
	return o.gap
}
