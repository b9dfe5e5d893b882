// This file defines the classes of java.util.concurrent and Thread: other names of futures. The methods that wait
// are in the prelude.

package builtins

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins/internal/java"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// onFuture are futures and objects made of them.
var onFuture = value.Kinds(value.KindFuture)

// threads returns the entries. They are made with the table, and not before every program.
func threads() []entry.Entry {
	return []entry.Entry{
		entry.StaticMethod("new", "CountDownLatch", "n:int", entry.Constant,
			"Returns a latch: .countDown counts it down, .await waits until it is 0.",
			`(let [l (java.util.concurrent.CountDownLatch. 1)] (future (.countDown l)) (.await l) (.getCount l)) => 0`,
			func(t *value.Task, a []value.Value) value.Value {
				if a[0].AsInt() < 0 {
					t.Fail(diag.IllegalArgument, "count < 0")
				}
				return t.Future(value.SortLatch, value.Nil, a[0])
			}),
		entry.StaticMethod("new", "Thread", "f | f name", entry.Constant,
			"Returns a thread that has not started. .start makes a future of f, .join waits for it.",
			`(let [r (atom 0) t (Thread. (fn [] (reset! r 1)))] (.start t) (.join t) @r) => 1`,
			func(t *value.Task, a []value.Value) value.Value { return t.Future(value.SortThread, a[0], value.Nil) }),
		newExecutor("newFixedThreadPool", "n | n factory"), newExecutor("newCachedThreadPool", "| factory"),
		newExecutor("newSingleThreadExecutor", "| factory"), newExecutor("newWorkStealingPool", "| n"),
		newExecutor("newVirtualThreadPerTaskExecutor", ""),
		onSort(value.SortLatch, "countDown", "", "Counts a latch down by 1, if it is above 0.",
			`(let [l (java.util.concurrent.CountDownLatch. 1)] (.countDown l) (.getCount l)) => 0`, countDown),
		onSort(value.SortLatch, "getCount", "", "Returns the count of a latch.",
			`(.getCount (java.util.concurrent.CountDownLatch. 1)) => 1`, seen),
		onSort(value.SortLatch, "await", "| timeout unit",
			"Waits until the count of a latch is 0. With a timeout it returns "+
				"true if it is.",
			`(let [l (java.util.concurrent.CountDownLatch. 1)] (future (.countDown l)) `+
				`(.await l 60 java.util.concurrent.TimeUnit/SECONDS)) => true`,
			library("%await-latch")),
		entry.Method("isDone", "", onFuture, entry.Constant, "Returns true if a future has ended or was cancelled.",
			`(.isDone (future 1)) => false`, func(t *value.Task, a []value.Value) value.Value {
				if s := a[0].AsFuture().Sort; s != value.SortFuture && s != value.SortPromise {
					entry.NoMethod(t, "isDone", a[0], 0)
				}
				return isDone(t, a)
			}),
		onSort(value.SortFuture, "cancel", "interrupt", "Cancels a future that has not begun. Returns true if it did.",
			`(.cancel (future 1) true) => true`, cancelFuture),
		onSort(value.SortFuture, "isCancelled", "", "Returns true if a future was cancelled.",
			`(.isCancelled (future 1)) => false`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Bool(a[0].AsFuture().State == value.StateCancelled)
			}),
		entry.Method("join", "| ms", onFuture, entry.Constant,
			"Waits until a thread has ended, whatever it throws. Returns the "+
				"value of a future.", `(let [t (Thread. (fn [] (/ 1 0)))] (.start t) (.join t)) => nil`,
			func(t *value.Task, a []value.Value) value.Value {
				switch f := a[0].AsFuture(); {
				case f.Sort == value.SortThread:
					return t.Host.Futures().Library("%join-thread", a...)
				case len(a) == 1 && (f.Sort == value.SortFuture || f.Sort == value.SortPromise):
					return t.Host.Futures().Library("%join-future", a...)
				}
				entry.NoMethod(t, "join", a[0], len(a)-1)
				return value.Nil
			}),
		onSort(value.SortPromise, "complete", "x", "Delivers a CompletableFuture. Returns true if it had no value.",
			`(let [f (java.util.concurrent.CompletableFuture.)] [(.complete f 1) (.complete f 2) @f]) => [true false 1]`,
			func(t *value.Task, a []value.Value) value.Value { return value.Bool(!deliver(t, a).IsNil()) }),
		entry.StaticMethod("new", "CompletableFuture", "", entry.Constant,
			"Returns a future. .complete delivers its value, as deliver does for a promise.",
			`(.isDone (java.util.concurrent.CompletableFuture.)) => false`,
			func(t *value.Task, _ []value.Value) value.Value {
				return t.Future(value.SortPromise, value.Nil, value.Unbound)
			}),
		entry.StaticMethod("Thread", "currentThread", "", entry.Constant,
			"Returns a thread that stands for the evaluation: its name is main, and it can't be interrupted.",
			`(.getName (Thread/currentThread)) => "main"`,
			func(*value.Task, []value.Value) value.Value { return currentThread }),
		onSort(value.SortThread, "interrupt", "", "Is refused: a future runs to its end.",
			`(.interrupt (Thread/currentThread)) !unsupported-operation`,
			func(t *value.Task, _ []value.Value) value.Value {
				t.FailHint(diag.NotSupported,
					"use deref with a timeout, or a promise that the other future looks at with realized?",
					"a thread can't be interrupted")
				return value.Nil
			}),
		onSort(value.SortThread, "isInterrupted", "", "Returns false.", `(.isInterrupted (Thread/currentThread)) => false`,
			func(*value.Task, []value.Value) value.Value { return value.False }),
		onSort(value.SortThread, "getId", "", "Returns 1.", `(.getId (Thread/currentThread)) => 1`,
			func(*value.Task, []value.Value) value.Value { return value.Int(1) }),
		onSort(value.SortThread, "isAlive", "", "Returns true if a thread has started and not ended.",
			`(.isAlive (Thread. (fn []))) => false`, func(t *value.Task, a []value.Value) value.Value {
				f := t.Host.Futures().Seen(a[0])
				return value.Bool(!f.IsNil() && !isReady(t, f))
			}),
		onSort(value.SortThread, "setDaemon", "on", "Has no effect: a program ends when all futures have ended.",
			`(.setDaemon (Thread. (fn [])) true) => nil`, func(*value.Task, []value.Value) value.Value { return value.Nil }),
		onSort(value.SortExecutor, "submit", "f", "Returns a future of a function, or of a Callable or Runnable.",
			`(let [e (java.util.concurrent.Executors/newFixedThreadPool 2) f (.submit e (fn [] 1))] (.get f)) => 1`,
			library("%submit")),
		onSort(value.SortExecutor, "execute", "f", "Makes a future of a function, or of an object with the method run.",
			`(let [r (atom 0) e (java.util.concurrent.Executors/newFixedThreadPool 2)] (.execute e #(reset! r 1)) `+
				`(.awaitTermination e 1 java.util.concurrent.TimeUnit/MINUTES) @r) => 1`, library("%execute")),
		onSort(value.SortExecutor, "invokeAll", "fs", "Makes futures of functions and waits until they have ended. Returns "+
			"them.", `(mapv deref (.invokeAll (java.util.concurrent.Executors/newCachedThreadPool) [(fn [] 1)])) => [1]`,
			library("%invoke-all")),
		onSort(value.SortExecutor, "shutdown", "", "Refuses functions from now on.",
			`(let [e (java.util.concurrent.Executors/newCachedThreadPool)] (.shutdown e) (.isShutdown e)) => true`, shutdown),
		onSort(value.SortExecutor, "shutdownNow", "", "Refuses functions from now on; those that were submitted run.",
			`(.shutdownNow (java.util.concurrent.Executors/newCachedThreadPool)) => []`,
			func(t *value.Task, a []value.Value) value.Value {
				shutdown(t, a)
				return value.EmptyVector
			}),
		onSort(value.SortExecutor, "isShutdown", "", "Returns true after .shutdown.",
			`(.isShutdown (java.util.concurrent.Executors/newCachedThreadPool)) => false`, seen),
		onSort(value.SortExecutor, "isTerminated", "", "Returns true after .shutdown.",
			`(.isTerminated (java.util.concurrent.Executors/newCachedThreadPool)) => false`, seen),
		onSort(value.SortExecutor, "awaitTermination", "timeout unit", "Runs the futures that are outstanding. Returns true.",
			`(.awaitTermination (java.util.concurrent.Executors/newCachedThreadPool) 1 `+
				`java.util.concurrent.TimeUnit/SECONDS) => true`,
			func(t *value.Task, _ []value.Value) value.Value {
				t.Host.Futures().RunOutstanding()
				return value.True
			}),
		{NS: "clojure.core", Name: "%unit-ms", Args: "n:int unit", Private: true, Cost: entry.Constant, Fn: unitMillis,
			Doc: "Returns milliseconds: n of a TimeUnit, or 1 if there is less."},
		{NS: "clojure.core", Name: "%callable", Args: "f", Private: true, Cost: entry.Constant,
			Fn: func(t *value.Task, a []value.Value) value.Value {
				for _, key := range []value.Value{keyCall, keyRun} {
					if !t.Method(a[0], key).IsNil() {
						return key
					}
				}
				return value.Nil
			}, Doc: "Returns the method through which an object is called, nil if it is called itself."},
		{NS: "clojure.core", Name: "%start", Args: "thread:future f", Private: true, Cost: entry.Constant,
			Fn: func(t *value.Task, a []value.Value) value.Value {
				t.Host.Futures().Change(a[0], a[1])
				return value.Nil
			}, Doc: "Keeps the future of a thread."},
		{NS: "clojure.core", Name: "%thread-future", Args: "thread:future", Private: true, Cost: entry.Constant, Fn: seen,
			Doc: "Returns the future of a thread, nil before it starts."},
		{NS: "clojure.core", Name: "%throw-of", Args: "class message | class message cause", Private: true,
			Cost: entry.Constant,
			Fn: func(t *value.Task, a []value.Value) value.Value {
				e := t.NewException(diag.IllegalState, "")
				e.Class, e.Msg = a[0].AsString().S, a[1]
				if len(a) == 3 {
					e.Cause = a[2]
				}
				t.Throw(e)
				return value.Nil
			}, Doc: "Throws an exception of a class."},
	}
}

var (
	keyCall = value.ConstKeyword("call")
	keyRun  = value.ConstKeyword("run")
)

// onSort makes the entry of a method of futures, or of one of their relatives.
func onSort(sort value.Sort, name, args, doc, example string, fn value.NativeFunc) entry.Entry {
	return entry.Method(name, args, onFuture, entry.Constant, doc, example,
		func(t *value.Task, a []value.Value) value.Value {
			if !value.IsSort(a[0], sort) {
				entry.NoMethod(t, name, a[0], len(a)-1)
			}
			return fn(t, a)
		})
}

// library makes a native that calls a function of the prelude.
func library(name string) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value { return t.Host.Futures().Library(name, a...) }
}

func newExecutor(name, args string) entry.Entry {
	example := "(.isShutdown (java.util.concurrent.Executors/" + name
	if strings.HasPrefix(args, "n") {
		example += " 2"
	}
	return entry.StaticMethod("Executors", name, args, entry.Constant,
		"Returns an executor, which makes futures. The host bounds how many run at once.", example+")) => false",
		func(t *value.Task, _ []value.Value) value.Value {
			return t.Future(value.SortExecutor, value.Nil, value.False)
		})
}

// currentThread is the thread of every evaluation. Nothing changes it.
var currentThread = value.ConstFuture(value.SortThread)

// threadName returns the name of a thread: main for that of Thread/currentThread.
func threadName(t *value.Task, v value.Value) value.Value {
	f := v.AsFuture()
	switch {
	case f.Sort != value.SortThread:
		entry.NoMethod(t, "getName", v, 0)
	case f.Fn.IsNil():
		return mainThread
	}
	return otherThread
}

var mainThread, otherThread = value.ConstString("main"), value.ConstString("Thread-0")

func shutdown(t *value.Task, a []value.Value) value.Value {
	if !value.IsSort(a[0], value.SortExecutor) {
		entry.NoMethod(t, "close", a[0], 0)
	}
	t.Host.Futures().Change(a[0], value.True)
	return value.Nil
}

func seen(t *value.Task, a []value.Value) value.Value { return t.Host.Futures().Seen(a[0]) }

func countDown(t *value.Task, a []value.Value) value.Value {
	fs := t.Host.Futures()
	fs.Order(a[0])
	if n := fs.Seen(a[0]).AsInt(); n > 0 {
		fs.Change(a[0], value.Int(n-1))
	}
	return value.Nil
}

// unitMillis bounds the result, as deref does.
func unitMillis(t *value.Task, a []value.Value) value.Value {
	ms, ok := java.Millis(a[0].AsInt(), a[1])
	if !ok {
		t.Fail(diag.WrongType, "got %s, want a constant of java.util.concurrent.TimeUnit", value.Describe(t, a[1]))
	}
	return value.Int(min(ms, 1<<42))
}
