// This file defines the natives of futures, promises and latches. The functions that wait are in the prelude.

package builtins

import (
	"math"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

var futures = []entry.Entry{
	{NS: "clojure.core", Name: "future", Args: "& body", Cost: entry.Syntax, Indent: entry.IndentBlock0,
		Macro: expandFuture,
		Doc: "Returns a future of the value of body. The program runs its futures in parallel when it first waits: for one " +
			"of them by @, in Thread/sleep, in a parallel operation, or at its end. Their prints and changes of atoms have " +
			"the order in which they were made.",
		Examples: []string{"(let [a (future (+ 1 2)) b (future (* 3 4))] (+ @a @b)) => 15",
			"(let [n (atom 0)] @(future (swap! n inc)) @n) => 1",
			`(try @(future (throw (ex-info "no" {:a 1}))) (catch Exception e (ex-data (ex-cause e)))) => {:a 1}`,
			"@(future (/ 1 0)) !exception"}},
	{NS: "clojure.core", Name: "%future", Args: "f", Private: true, Cost: entry.Constant, Fn: newFuture,
		Doc: "Returns an outstanding future of a function of no arguments."},
	{NS: "clojure.core", Name: "promise", Args: "", Cost: entry.Constant,
		Fn: func(t *value.Task, _ []value.Value) value.Value {
			return t.Future(value.SortPromise, value.Nil, value.Unbound)
		},
		Doc: "Returns a promise: deliver sets its value once, and @ waits for the value. It is an error to wait for a " +
			"promise that nothing can deliver any more.",
		Examples: []string{"(let [p (promise)] (deliver p 1) (deliver p 2) @p) => 1",
			"(let [p (promise)] (future (deliver p 42)) @p) => 42", "(deref (promise) 10 :late) => :late",
			"@(promise) !illegal-state"}},
	{NS: "clojure.core", Name: "deliver", Args: "promise:future x", Cost: entry.Constant, Purity: entry.Changes,
		Fn:  deliver,
		Doc: "Delivers a promise. Returns the promise, nil if it was delivered before.",
		Examples: []string{"(let [p (promise)] [(some? (deliver p 1)) (deliver p 2) @p]) => [true nil 1]",
			"(deliver 1 2) !wrong-type"}},
	{NS: "clojure.core", Name: "future?", Args: "x", Cost: entry.Constant, Purity: entry.Total,
		Fn: func(_ *value.Task, a []value.Value) value.Value {
			return value.Bool(value.IsSort(a[0], value.SortFuture))
		},
		Doc: "Returns true if x is a future.", Examples: []string{"(future? (future 1)) => true", "(future? 1) => false"}},
	{NS: "clojure.core", Name: "future-done?", Args: "f:future", Cost: entry.Constant, Fn: isDone,
		Doc: "Returns true if a future has ended. The thousandth look in vain waits for the futures that are outstanding.",
		Examples: []string{"(let [f (future 1)] [(future-done? f) @f (future-done? f)]) => [false 1 true]",
			"(future-done? 1) !wrong-type"}},
	{NS: "clojure.core", Name: "future-cancel", Args: "f:future", Cost: entry.Constant, Purity: entry.Changes,
		Fn:  cancelFuture,
		Doc: "Cancels a future that has not begun. Returns true if it did.",
		Examples: []string{"(let [f (future 1)] [(future-cancel f) (future-cancelled? f)]) => [true true]",
			"(let [f (future 1)] @f (future-cancel f)) => false", "(let [f (future 1)] (future-cancel f) @f) !illegal-state",
			"(future-cancel 1) !wrong-type"}},
	{NS: "clojure.core", Name: "future-cancelled?", Args: "f:future", Cost: entry.Constant, Purity: entry.Reads,
		Fn: func(_ *value.Task, a []value.Value) value.Value {
			return value.Bool(a[0].AsFuture().State == value.StateCancelled)
		},
		Doc:      "Returns true if a future was cancelled.",
		Examples: []string{"(future-cancelled? (future 1)) => false", "(future-cancelled? 1) !wrong-type"}},
	{NS: "clojure.core", Name: "%begin-round", Args: "", Private: true, Cost: entry.PerElement, Fn: beginRound,
		Doc: "Returns a vector of what is outstanding, which runs from now on; nil if there is nothing."},
	{NS: "clojure.core", Name: "%put-back", Args: "items:vector", Private: true, Cost: entry.PerElement, Fn: putBack,
		Doc: "Makes all items but the first outstanding again, and returns what is outstanding."},
	{NS: "clojure.core", Name: "%children-first", Args: "left ok", Private: true, Cost: entry.PerElement,
		Fn: childrenFirst, Doc: "Puts what an item has made before what was left of its round, or drops it if " +
			"the item failed."},
	{NS: "clojure.core", Name: "%end-round", Args: "items:vector results:vector", Private: true, Cost: entry.PerElement,
		Fn: endRound, Doc: "Keeps the results of items. Returns true if one of them has ended."},
	{NS: "clojure.core", Name: "%parallel-futures", Args: "name f items:vector ms:int retry", Private: true,
		Cost: entry.Runs, Fn: parallelFutures, Doc: "Like %parallel-settle, for futures."},
	{NS: "clojure.core", Name: "%outstanding?", Args: "", Private: true, Cost: entry.PerElement,
		Fn: anyOutstanding, Doc: "Returns true if anything is outstanding."},
	{NS: "clojure.core", Name: "%scope-outstanding?", Args: "", Private: true, Cost: entry.PerElement,
		Fn: func(t *value.Task, _ []value.Value) value.Value {
			return value.Bool(t.Host.Futures().KeepInner())
		}, Doc: "Puts aside what was outstanding when the innermost scope began. Returns true if anything is left."},
	{NS: "clojure.core", Name: "%future-fn", Args: "f:future", Private: true, Cost: entry.Constant,
		Fn:  func(_ *value.Task, a []value.Value) value.Value { return a[0].AsFuture().Fn },
		Doc: "Returns the function of a future."},
	{NS: "clojure.core", Name: "%hand-over", Args: "ok x", Private: true, Cost: entry.Constant, Fn: leave,
		Doc: "Returns what a future hands over at its end."},
	{NS: "clojure.core", Name: "%blocked", Args: "", Private: true, Cost: entry.Constant,
		Fn: func(t *value.Task, _ []value.Value) value.Value {
			t.Host.Futures().Blocked()
			return value.Nil
		}, Doc: "Ends an element that waits in vain, if it can begin anew."},
	{NS: "clojure.core", Name: "%ready?", Args: "x:future", Private: true, Cost: entry.Constant,
		Fn:  func(t *value.Task, a []value.Value) value.Value { return value.Bool(isReady(t, a[0])) },
		Doc: "Returns true if @ need not wait for x."},
	{NS: "clojure.core", Name: "%join", Args: "x:future", Private: true, Cost: entry.Constant, Fn: join,
		Doc: "Waits for what other evaluations make of x. Returns true if @ need not wait any more."},
	{NS: "clojure.core", Name: "%late?", Args: "x:future", Private: true, Cost: entry.Constant,
		Fn: func(_ *value.Task, a []value.Value) value.Value {
			return value.Bool(a[0].AsFuture().State == value.StateLate)
		}, Doc: "Returns true if a wait with a timeout has ended a future."},
	{NS: "clojure.core", Name: "%outcome", Args: "x:future", Private: true, Cost: entry.Walks, Fn: outcomeOf,
		Doc: "Returns the value of x, for which @ need not wait, or throws its exception."},
}

func expandFuture(x *expand.Expansion, form value.Value) value.Value {
	return x.List(form, fnFutureCall, x.Thunk(form, expand.FormItems(form)[1:]))
}

var fnFutureCall = expand.CoreSym("future-call")

// with returns the vector of outstanding futures, which may be nil, with x at its end.
func with(t *value.Task, all, x value.Value) value.Value {
	if all.IsNil() {
		return t.Vector(x)
	}
	return t.Conj(all, x)
}

// anyOutstanding passes over futures that have been cancelled, or were run in an inner scope.
func anyOutstanding(t *value.Task, _ []value.Value) value.Value {
	all := t.Host.Futures().Outstanding()
	if all.IsNil() {
		return value.False
	}
	for i := range value.VecCount(all) {
		t.Work(1)
		if value.VecAt(all, i).AsFuture().State == value.StateOutstanding {
			return value.True
		}
	}
	return value.False
}

func newFuture(t *value.Task, a []value.Value) value.Value {
	f := t.Future(value.SortFuture, a[0], value.Nil)
	t.Host.Futures().SetOutstanding(with(t, t.Host.Futures().Outstanding(), f))
	return f
}

func deliver(t *value.Task, a []value.Value) value.Value {
	if !value.IsSort(a[0], value.SortPromise) {
		t.Fail(diag.WrongType, "deliver: got %s, want a promise", value.Describe(t, a[0]))
	}
	fs := t.Host.Futures()
	if isReady(t, a[0]) {
		return value.Nil
	}
	fs.Order(a[0])
	if isReady(t, a[0]) {
		return value.Nil
	}
	fs.Change(a[0], a[1])
	return a[0]
}

// isDone waits for futures when a program looks again and again.
func isDone(t *value.Task, a []value.Value) value.Value {
	if isReady(t, a[0]) || join(t, a).Truthy() {
		return value.True
	}
	t.Host.Futures().Polled()
	return value.Bool(isReady(t, a[0]))
}

func cancelFuture(t *value.Task, a []value.Value) value.Value {
	f := a[0].AsFuture()
	if f.Sort != value.SortFuture || f.State != value.StateOutstanding || f.Owner() != t.Owner {
		return value.False
	}
	f.State = value.StateCancelled
	return value.True
}

// beginRound makes everything outstanding run. Nothing changes before it can no longer unwind.
func beginRound(t *value.Task, _ []value.Value) value.Value {
	fs := t.Host.Futures()
	all := fs.Outstanding()
	if all.IsNil() {
		return value.Nil
	}
	items := value.EmptyVector
	for i := range value.VecCount(all) {
		t.Work(1)
		if x := value.VecAt(all, i); x.AsFuture().State == value.StateOutstanding {
			items = t.Conj(items, x)
		}
	}
	fs.SetOutstanding(value.Nil)
	for i := range value.VecCount(items) {
		f := value.VecAt(items, i).AsFuture()
		f.State, f.Index = value.StateRunning, int32(i)
	}
	if value.VecCount(items) == 0 {
		return value.Nil
	}
	return items
}

// putBack leaves the items of a round but the first outstanding.
func putBack(t *value.Task, a []value.Value) value.Value {
	left := value.Nil
	for i := 1; i < value.VecCount(a[0]); i++ {
		t.Work(1)
		left = with(t, left, value.VecAt(a[0], i))
	}
	t.Host.Futures().SetOutstanding(left)
	for i := 1; i < value.VecCount(a[0]); i++ {
		value.VecAt(a[0], i).AsFuture().State = value.StateOutstanding
	}
	return left
}

// childrenFirst orders the outstanding futures like the elements of an operation: an element runs the
// futures that it has made before the next element begins, and none of them if it fails.
func childrenFirst(t *value.Task, a []value.Value) value.Value {
	fs := t.Host.Futures()
	all, siblings := fs.Outstanding(), value.EmptySet
	if all.IsNil() || value.Identical(all, a[0]) {
		return value.Nil
	}
	if !a[0].IsNil() {
		for i := range value.VecCount(a[0]) {
			t.Work(1)
			siblings = t.Conj(siblings, value.VecAt(a[0], i))
		}
	}
	children, left := value.Nil, value.Nil
	for i := range value.VecCount(all) {
		t.Work(1)
		if x := value.VecAt(all, i); t.Contains(siblings, x) {
			left = with(t, left, x)
		} else if a[1].Truthy() {
			children = with(t, children, x)
		}
	}
	if !children.IsNil() && !left.IsNil() {
		for i := range value.VecCount(left) {
			t.Work(1)
			children = t.Conj(children, value.VecAt(left, i))
		}
	} else if children.IsNil() {
		children = left
	}
	fs.SetOutstanding(children)
	return value.Nil
}

// endRound keeps the results of futures, and applies their changes. It may run again from its start.
func endRound(t *value.Task, a []value.Value) value.Value {
	fs, n := t.Host.Futures(), value.VecCount(a[0])
	ended, upTo, changes := false, int64(0), value.Nil
	again := fs.Outstanding()
	for i := range n {
		t.Work(1)
		f, v, status := value.VecAt(a[0], i), value.VecAt(a[1], i), value.VecAt(a[1], n+i)
		if status.IsNil() && !v.IsNil() { // it begins anew
			again = with(t, again, f)
			continue
		}
		ended = true
		if c, n := keepResult(f.AsFuture(), v, status); n > upTo {
			changes, upTo = c, n
		}
	}
	again = applyChanges(t, changes, again)
	for i := range n {
		endActions(t, value.VecAt(a[0], i).AsFuture())
	}
	fs.SetOutstanding(again)
	for i := range n {
		if f := value.VecAt(a[0], i).AsFuture(); f.State == value.StateRunning {
			f.State = value.StateOutstanding
		} else {
			f.Fn = value.Nil
		}
	}
	return value.Bool(ended)
}

// applyChanges makes the changes of futures. It returns all, with the futures of the actions that they sent.
func applyChanges(t *value.Task, changes, all value.Value) value.Value {
	if changes.IsNil() {
		return all
	}
	fs := t.Host.Futures()
	for it := value.NewMapIter(changes); it.Next(); {
		t.Work(1)
		fs.Change(it.Key, it.Val)
	}
	for it := value.NewMapIter(changes); it.Next(); {
		if value.IsSort(it.Key, value.SortQueue) {
			all = withActions(t, it.Key, all)
		}
	}
	return all
}

// keepResult keeps the result of a future. It returns the changes that the future hands over with its value.
func keepResult(f *value.Future, v, status value.Value) (changes value.Value, upTo int64) {
	switch {
	case status.IsNil():
		f.State = value.StateLate
		return value.Nil, 0
	case !status.Truthy():
		f.State, f.Val = value.StateFailed, v
		return value.Nil, 0
	}
	f.State, f.Val = value.StateDone, value.VecAt(v, 1)
	if !value.VecAt(v, 0).Truthy() {
		f.State = value.StateFailed
	}
	if changes = value.VecAt(v, 2); changes.IsNil() {
		return changes, 0
	}
	return changes, value.VecAt(v, 3).AsInt()
}

func leave(t *value.Task, a []value.Value) value.Value {
	fs := t.Host.Futures()
	changes, upTo := fs.Changes()
	v := t.Vector(value.Bool(a[0].Truthy()), a[1], changes, value.Int(int64(upTo)))
	if !a[0].Truthy() {
		fs.SetOutstanding(value.Nil)
	}
	return v
}

func parallelFutures(t *value.Task, a []value.Value) value.Value {
	ms := max(min(a[3].AsInt(), math.MaxInt64/int64(time.Millisecond)), 0)
	return t.Host.Parallel(value.Parallel{Name: parallelName(a[0]), Until: value.UntilSettled, Fn: a[1], Items: a[2],
		Futures: true, Retry: a[4].Truthy(), Timeout: time.Duration(ms) * time.Millisecond})
}

// isReady reports whether @ need not wait.
func isReady(t *value.Task, x value.Value) bool {
	switch f := x.AsFuture(); f.Sort {
	case value.SortFuture:
		return f.State >= value.StateDone
	case value.SortPromise:
		return !value.Identical(t.Host.Futures().Seen(x), value.Unbound)
	case value.SortLatch:
		return t.Host.Futures().Seen(x).AsInt() == 0
	case value.SortQueue:
		return isIdle(t, x)
	}
	return true
}

func join(t *value.Task, a []value.Value) value.Value {
	f := a[0].AsFuture()
	if f.Owner() == t.Owner {
		return value.False
	}
	fs := t.Host.Futures()
	if f.Sort == value.SortFuture {
		_, ok := fs.Join(a[0])
		return value.Bool(ok)
	}
	if !fs.Ordered(a[0]) {
		return value.False
	}
	return value.Bool(isReady(t, a[0]))
}

func outcomeOf(t *value.Task, a []value.Value) value.Value {
	f := a[0].AsFuture()
	if f.Sort != value.SortFuture {
		return cellOutcome(t, a[0])
	}
	state, v := f.State, f.Val
	if state < value.StateDone && f.Owner() != t.Owner {
		if out, ok := t.Host.Futures().Join(a[0]); ok {
			if state, v = value.StateDone, out.Value; !out.Status.Truthy() {
				state = value.StateFailed
			}
		}
	}
	switch state {
	case value.StateDone:
		return v
	case value.StateFailed:
		e := t.NewException(diag.Thrown, "")
		e.Class, e.Msg, e.Cause = "java.util.concurrent.ExecutionException", t.Str(v), v
		e.Hint = "the exception of the future is its cause: (ex-cause e), (ex-data (ex-cause e))"
		t.Throw(e)
	case value.StateCancelled:
		e := t.NewException(diag.IllegalState, "")
		e.Class, e.Msg = "java.util.concurrent.CancellationException", value.Nil
		e.Hint = "future-cancel has cancelled the future before it began; future-cancelled? tells so"
		t.Throw(e)
	case value.StateLate:
		t.FailHint(diag.IllegalState, "give (deref f ms default) more time, or wait for the other futures first",
			"a deref with a timeout has ended this future, which was too slow")
	}
	t.FailHint(diag.IllegalState, "wait with @ in the code that made the future, or in a future made after it",
		"nothing can end this future any more")
	return value.Nil
}

// cellOutcome returns the value of a promise, latch or agent.
func cellOutcome(t *value.Task, x value.Value) value.Value {
	if !isReady(t, x) {
		const before = " belongs before the wait, or in a future that calls no tool before a wait of its own"
		hint := "(deliver p x)" + before
		switch x.AsFuture().Sort {
		case value.SortLatch:
			hint = "(.countDown latch)" + before
		case value.SortQueue:
			hint = "await belongs in the code that made the agent, after the futures that send to it"
		}
		t.FailHint(diag.IllegalState, hint, "nothing can end the wait for this %s any more", value.SortName(x))
	}
	if value.IsSort(x, value.SortLatch) {
		return value.Nil
	}
	return t.Host.Futures().Seen(x)
}
