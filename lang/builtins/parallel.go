// This file defines the natives of the parallel operations. The functions that programs call are in
// the prelude.

package builtins

import (
	"math"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

var parallel = []entry.Entry{
	{NS: "clojure.core", Name: "%parallel-map", Args: "name f items:vector", Private: true, Cost: entry.Runs,
		Fn:  parallelMap,
		Doc: "Returns a box of f of each item, nil if nothing runs in parallel."},
	{NS: "clojure.core", Name: "%parallel-spread", Args: "name f items:vector", Private: true, Cost: entry.Runs,
		Fn:  parallelSpread,
		Doc: "Returns a box of f applied to each item, which is a vector, nil if nothing runs in parallel."},
	{NS: "clojure.core", Name: "%parallel-calls", Args: "name fs:vector", Private: true, Cost: entry.Runs,
		Fn:  parallelCalls,
		Doc: "Returns a box of the value of each function, nil if nothing runs in parallel."},
	{NS: "clojure.core", Name: "%parallel-settle", Args: "name f items:vector", Private: true, Cost: entry.Runs,
		Fn: parallelSettle,
		Doc: "Returns a box of f of each item, or its exception, followed by how each ended; nil if nothing runs in " +
			"parallel."},
	{NS: "clojure.core", Name: "%parallel-some", Args: "name f items:vector n:int ms:int", Private: true, Cost: entry.Runs,
		Fn:  parallelSome,
		Doc: "Like %parallel-settle, but ends when n have succeeded, or can't; items behind the first one wait."},
	{NS: "clojure.core", Name: "pvalues", Args: "& exprs", Cost: entry.Syntax, Macro: expandPvalues,
		Doc: "Evaluates the expressions on parallel workers, as pcalls does with functions. Returns their values in " +
			"order.",
		Examples: []string{"(pvalues (+ 1 2) :b) => (3 :b)"}},
	{NS: "clojure.core", Name: "with-limits", Args: "limits & body", Cost: entry.Syntax, Indent: entry.IndentBody,
		Macro: expandWithLimits,
		Doc: "Evaluates body under lower limits, which also hold for its calls and its workers. limits is a map of :ms, " +
			":steps, :bytes (of memory, beyond that in use), :calls (of tools) and :workers. " +
			"A limit that is exceeded ends body with an exception of its code, which body cannot catch. A lazy sequence that " +
			"body returns is computed later, without these limits.",
		Examples: []string{"(with-limits {:ms 1000 :steps 100000} (reduce + (range 10))) => 45",
			"(try (with-limits {:steps 1000} (loop [] (recur))) (catch Exception e :too-long)) => :too-long",
			"(with-limits {:bytes 100000} (count (vec (range 100000)))) !memory-exceeded",
			"(with-limits {:minutes 1} 1) !illegal-argument"}},
	{NS: "clojure.core", Name: "%narrow", Args: "limits:map", Private: true, Cost: entry.Constant, Fn: narrowLimits,
		Doc: "Begins a scope with lower limits."},
	{NS: "clojure.core", Name: "%widen", Args: "", Private: true, Cost: entry.Constant, Fn: widenLimits,
		Doc: "Ends the innermost scope of limits."},
	{NS: "clojure.core", Name: "limits", Args: "", Cost: entry.Constant, Fn: limitsLeft,
		Doc: "Returns a map of the remaining limits of this evaluation, as with-limits takes them: :ms, :steps, " +
			":bytes, :calls and :workers.",
		Examples: []string{"(sort (keys (limits))) => (:bytes :calls :ms :steps :workers)",
			"(with-limits {:steps 5000} (<= (:steps (limits)) 5000)) => true"}},
	{NS: "clojure.core", Name: "%error-code", Args: "e:exception", Private: true, Cost: entry.Constant, Fn: errorCode,
		Doc: "Returns the error code of an exception, as a keyword."},
}

func parallelName(v value.Value) string { return v.AsString().S }

func parallelMap(t *value.Task, a []value.Value) value.Value {
	return t.Host.Parallel(value.Parallel{Name: parallelName(a[0]), Fn: a[1], Items: a[2]})
}

func parallelSpread(t *value.Task, a []value.Value) value.Value {
	return t.Host.Parallel(value.Parallel{Name: parallelName(a[0]), Call: value.CallSpread, Fn: a[1], Items: a[2]})
}

func parallelCalls(t *value.Task, a []value.Value) value.Value {
	return t.Host.Parallel(value.Parallel{Name: parallelName(a[0]), Call: value.CallThunk, Items: a[1]})
}

func parallelSettle(t *value.Task, a []value.Value) value.Value {
	return t.Host.Parallel(value.Parallel{Name: parallelName(a[0]), Until: value.UntilSettled, Fn: a[1], Items: a[2]})
}

func parallelSome(t *value.Task, a []value.Value) value.Value {
	n, ms := a[3].AsInt(), a[4].AsInt()
	count := int64(a[2].AsVector().Count)
	if n < 1 || n > count {
		t.Fail(diag.IllegalArgument, "%s: %d of %s are to succeed, want 1 to %d", parallelName(a[0]), n,
			diag.Counted(count, "element"), count)
	}
	if ms < 0 || ms > math.MaxInt64/int64(time.Millisecond) {
		t.Fail(diag.IllegalArgument, "%s: got %d ms, want 0 or more", parallelName(a[0]), ms)
	}
	return t.Host.Parallel(value.Parallel{Name: parallelName(a[0]), Until: value.UntilEnough, Fn: a[1], Items: a[2],
		Need: int(n), Delay: time.Duration(ms) * time.Millisecond})
}

// The functions that expansions call.
var (
	fnPcalls  = expand.CoreSym("pcalls")
	fnLimited = expand.CoreSym("%limited")
)

func expandPvalues(x *expand.Expansion, form value.Value) value.Value {
	calls := []value.Value{fnPcalls}
	for _, expr := range expand.FormItems(form)[1:] {
		calls = append(calls, x.Thunk(form, []value.Value{expr}))
	}
	return x.List(form, calls...)
}

func expandWithLimits(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(with-limits {:ms 200} body…)")
	return x.List(form, fnLimited, args[0], x.Scoped(form, args[1:]))
}

// The names of bounds in a program.
var (
	keyMs      = value.ConstKeyword("ms")
	keySteps   = value.ConstKeyword("steps")
	keyBytes   = value.ConstKeyword("bytes")
	keyCalls   = value.ConstKeyword("calls")
	keyWorkers = value.ConstKeyword("workers")
)

func narrowLimits(t *value.Task, a []value.Value) value.Value {
	var n value.Narrowed
	for i := range value.MapCount(a[0]) {
		k, v := value.EntryAt(a[0], i)
		switch {
		case value.Equal(t, k, keyMs):
			n.Timeout = time.Duration(min(limitOf(t, k, v), math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
		case value.Equal(t, k, keySteps):
			n.Steps = limitOf(t, k, v)
		case value.Equal(t, k, keyBytes):
			n.Bytes = limitOf(t, k, v)
		case value.Equal(t, k, keyCalls):
			n.Calls = int(min(limitOf(t, k, v), math.MaxInt))
		case value.Equal(t, k, keyWorkers):
			n.Workers = int(min(limitOf(t, k, v), math.MaxInt))
		default:
			t.FailHint(diag.IllegalArgument, "the limits are :ms :steps :bytes :calls :workers",
				"with-limits: no limit named %s", value.Show(t, k))
		}
	}
	t.Host.Narrow(n)
	return value.Nil
}

// limitOf returns a bound as a whole number above 0; 1e6 is one too.
func limitOf(t *value.Task, k, v value.Value) int64 {
	var n int64
	switch {
	case v.IsInt():
		n = v.AsInt()
	case v.IsFloat() && v.AsFloat() == math.Trunc(v.AsFloat()) && v.AsFloat() < 1<<63:
		n = int64(v.AsFloat())
	}
	if n < 1 {
		t.Fail(diag.IllegalArgument, "with-limits: %s is %s, want a whole number from 1 to 9223372036854775807",
			value.Show(t, k), value.Describe(t, v))
	}
	return n
}

func widenLimits(t *value.Task, _ []value.Value) value.Value {
	t.Host.Widen()
	return value.Nil
}

func limitsLeft(t *value.Task, _ []value.Value) value.Value {
	n := t.Host.LimitsLeft()
	return t.MapOf(keyMs, value.Int(n.Timeout.Milliseconds()), keySteps, value.Int(n.Steps), keyBytes, value.Int(n.Bytes),
		keyCalls, value.Int(int64(n.Calls)), keyWorkers, value.Int(int64(n.Workers)))
}

func errorCode(t *value.Task, a []value.Value) value.Value {
	return t.Keyword("", string(a[0].AsException().Code))
}
