// This file defines the classes of java.util.concurrent.atomic, and locks.

package java

import (
	"math"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// An object of these classes has an atom as its only slot. So futures may change it, one after another, as they may
// change atoms.
var (
	AtomicLong      = numberClass("java.util.concurrent.atomic.AtomicLong")
	AtomicInteger   = numberClass("java.util.concurrent.atomic.AtomicInteger")
	AtomicBoolean   = cellClass("java.util.concurrent.atomic.AtomicBoolean")
	AtomicReference = cellClass("java.util.concurrent.atomic.AtomicReference")
	LongAdder       = numberClass("java.util.concurrent.atomic.LongAdder")
	// ReentrantLock holds how often it is locked, Semaphore its permits.
	ReentrantLock = cellClass("java.util.concurrent.locks.ReentrantLock")
	Semaphore     = cellClass("java.util.concurrent.Semaphore")
)

// numberClass is cellClass for a class of numbers.
func numberClass(name string) *value.JavaClass {
	class := cellClass(name)
	class.Plain = true
	return class
}

func cellClass(name string) *value.JavaClass {
	return &value.JavaClass{Name: name, Text: func(t *value.Task, b *value.Buf, v value.Value) {
		if x := seen(t, v); x.IsNil() {
			b.WriteString("null")
		} else {
			t.StrTo(b, x)
		}
	}}
}

// seen returns the value of the cell of an object as the evaluation sees it.
func seen(t *value.Task, v value.Value) value.Value { return t.Host.Futures().Seen(v.AsJava().Vals[0]) }

func setCell(t *value.Task, v, x value.Value) {
	orderCell(t, v)
	t.Host.Futures().Change(v.AsJava().Vals[0], x)
}

// orderCell waits for the futures before this one.
func orderCell(t *value.Task, v value.Value) {
	cell := v.AsJava().Vals[0]
	if cell.Header().Owner() != t.Owner && !t.Host.Futures().Ordered(cell) {
		name := v.AsJava().Class.Name
		t.Owns(cell, name[strings.LastIndexByte(name, '.')+1:])
	}
}

// orderedCell waits for the futures before this one, and returns the value that they have left in the cell.
func orderedCell(t *value.Task, v value.Value) value.Value {
	orderCell(t, v)
	return seen(t, v)
}

// order is orderedCell for an object that may have no cell. Methods that call a function with the value call it first.
func order(t *value.Task, a []value.Value) value.Value {
	if a[0].Kind() == value.KindJava && len(a[0].AsJava().Vals) > 0 && a[0].AsJava().Vals[0].Kind() == value.KindAtom {
		orderCell(t, a[0])
	}
	return value.Nil
}

// kept returns x as the class of an object keeps it: an integer of 32 bits wraps around.
func kept(v value.Value, x int64) value.Value {
	if v.ClassIs(AtomicInteger) {
		return value.Int(int64(int32(x)))
	}
	return value.Int(x)
}

func intValue(t *value.Task, a []value.Value) value.Value {
	return value.Int(int64(int32(seen(t, a[0]).AsInt())))
}

func getCell(t *value.Task, a []value.Value) value.Value { return seen(t, a[0]) }

// adding makes a method that adds to a number: the last argument if by is 0. old means that it returns the old value.
func adding(by int64, old bool) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		n := by
		if len(a) == 2 {
			n = value.ToLong(t, a[1])
		}
		was := orderedCell(t, a[0])
		now := kept(a[0], was.AsInt()+n)
		setCell(t, a[0], now)
		if old {
			return was
		}
		return now
	}
}

// wantCell returns x if the class of an object can hold it.
func wantCell(t *value.Task, v, x value.Value) value.Value {
	switch {
	case v.ClassIs(AtomicReference):
		return x
	case v.ClassIs(AtomicBoolean):
		if x.Kind() != value.KindBool {
			t.FailWant("AtomicBoolean", x, "a boolean")
		}
		return x
	}
	return kept(v, value.ToLong(t, x))
}

// cellMethods are those of all atomic objects.
func cellMethods() []method {
	set := func(t *value.Task, a []value.Value) value.Value {
		setCell(t, a[0], wantCell(t, a[0], a[1]))
		return value.Nil
	}
	getAndSet := func(t *value.Task, a []value.Value) value.Value {
		old := orderedCell(t, a[0])
		setCell(t, a[0], wantCell(t, a[0], a[1]))
		return old
	}
	compareAndSet := func(t *value.Task, a []value.Value) value.Value {
		if !value.Identical(orderedCell(t, a[0]), a[1]) && !value.Same(seen(t, a[0]), a[1]) {
			return value.False
		}
		setCell(t, a[0], wantCell(t, a[0], a[2]))
		return value.True
	}
	return []method{
		{"get", "", entry.Constant, "", "", getCell},
		{"set", "x", entry.Constant, "", "", set}, {"lazySet", "x", entry.Constant, "Sets an atomic object.",
			`(let [a (java.util.concurrent.atomic.AtomicLong.)] (.lazySet a 2) (.get a)) => 2`, set},
		{"getAndSet", "x", entry.Constant, "Sets an atomic object. Returns the old value.",
			`(.getAndSet (java.util.concurrent.atomic.AtomicReference. :a) :b) => :a`, getAndSet},
		{"compareAndSet", "old new", entry.Constant, "Sets an atomic object to new if it holds old. Returns true if it did.",
			`(.compareAndSet (java.util.concurrent.atomic.AtomicLong. 1) 1 2) => true`, compareAndSet},
		{"weakCompareAndSet", "old new", entry.Constant, "Is compareAndSet.", "", compareAndSet},
	}
}

func counterMethods() []method {
	return []method{
		{"incrementAndGet", "", entry.Constant, "Adds 1 to an atomic number. Returns the new value.",
			`(.incrementAndGet (java.util.concurrent.atomic.AtomicLong. 1)) => 2`, adding(1, false)},
		{"decrementAndGet", "", entry.Constant, "Subtracts 1 from an atomic number. Returns the new value.", "",
			adding(-1, false)},
		{"addAndGet", "n", entry.Constant, "Adds n to an atomic number. Returns the new value.", "", adding(0, false)},
		{"getAndIncrement", "", entry.Constant, "Adds 1 to an atomic number. Returns the old value.",
			`(.getAndIncrement (java.util.concurrent.atomic.AtomicInteger. 1)) => 1`, adding(1, true)},
		{"getAndDecrement", "", entry.Constant, "Subtracts 1 from an atomic number. Returns the old value.", "",
			adding(-1, true)},
		{"getAndAdd", "n", entry.Constant, "Adds n to an atomic number. Returns the old value.", "", adding(0, true)},
		{"intValue", "", entry.Constant, "", "", intValue}, {"longValue", "", entry.Constant, "", "", getCell},
	}
}

func adderMethods() []method {
	nothing := func(fn value.NativeFunc) value.NativeFunc {
		return func(t *value.Task, a []value.Value) value.Value {
			fn(t, a)
			return value.Nil
		}
	}
	reset := func(t *value.Task, a []value.Value) value.Value {
		old := orderedCell(t, a[0])
		setCell(t, a[0], value.Int(0))
		return old
	}
	return []method{
		{"increment", "", entry.Constant, "Adds 1 to a LongAdder.",
			`(let [a (java.util.concurrent.atomic.LongAdder.)] (.increment a) (.sum a)) => 1`, nothing(adding(1, false))},
		{"decrement", "", entry.Constant, "Subtracts 1 from a LongAdder.", "", nothing(adding(-1, false))},
		{"add", "n", entry.Constant, "", "", nothing(adding(0, false))},
		{"sum", "", entry.Constant, "Returns the value of a LongAdder.", "", getCell},
		{"sumThenReset", "", entry.Constant, "Sets a LongAdder to 0. Returns the old value.", "", reset},
		{"reset", "", entry.Constant, "Sets a LongAdder to 0.", "", nothing(reset)},
		{"intValue", "", entry.Constant, "", "", intValue}, {"longValue", "", entry.Constant, "", "", getCell},
	}
}

// lockMethods are those of a ReentrantLock. All that holds it belongs to one evaluation at a time, so it
// is always free.
func lockMethods() []method {
	lock := func(result value.Value) value.NativeFunc {
		return func(t *value.Task, a []value.Value) value.Value {
			setCell(t, a[0], value.Int(orderedCell(t, a[0]).AsInt()+1))
			return result
		}
	}
	unlock := func(t *value.Task, a []value.Value) value.Value {
		n := orderedCell(t, a[0]).AsInt()
		if n == 0 {
			t.FailClass("java.lang.IllegalMonitorStateException", diag.IllegalState, "")
		}
		setCell(t, a[0], value.Int(n-1))
		return value.Nil
	}
	locked := func(t *value.Task, a []value.Value) value.Value { return value.Bool(seen(t, a[0]).AsInt() > 0) }
	return []method{
		{"lock", "", entry.Constant, "Locks a lock. In a future it waits for the futures before this one.",
			`(let [l (java.util.concurrent.locks.ReentrantLock.)] (.lock l) (.unlock l) (.isLocked l)) => false`,
			lock(value.Nil)},
		{"lockInterruptibly", "", entry.Constant, "Locks a lock.", "", lock(value.Nil)},
		{"tryLock", "| timeout unit", entry.Constant, "Locks a lock. Returns true.",
			`(.tryLock (java.util.concurrent.locks.ReentrantLock.)) => true`, lock(value.True)},
		{"unlock", "", entry.Constant, "Unlocks a lock.", "", unlock},
		{"isLocked", "", entry.Constant, "Returns true if a lock is locked.", "", locked},
		{"isHeldByCurrentThread", "", entry.Constant, "Returns true if a lock is locked.", "", locked},
		{"getHoldCount", "", entry.Constant, "Returns how often a lock is locked.", "", getCell},
	}
}

func semaphoreMethods() []method {
	permits := func(t *value.Task, a []value.Value) int64 {
		if len(a) == 1 {
			return 1
		}
		n := value.ToInt(t, a[1])
		if n < 0 {
			t.Fail(diag.IllegalArgument, "Semaphore: got %d permits, want a number that is not negative", n)
		}
		return n
	}
	acquire := library("%acquire-permits", nil)
	return []method{
		{"acquire", "| n", entry.Constant, "Takes permits of a semaphore. It waits for them. It is an error to wait for a " +
			"permit that nothing can release any more.",
			`(let [s (java.util.concurrent.Semaphore. 2)] (.acquire s) (.availablePermits s)) => 1`, acquire},
		{"acquireUninterruptibly", "| n", entry.Constant, "Is acquire.", "", acquire},
		{"tryAcquire", "| n | timeout unit | n timeout unit", entry.Constant,
			"Takes permits of a semaphore if it has them. Returns true if it did. With a timeout it waits for them.", "",
			func(t *value.Task, a []value.Value) value.Value {
				if len(a) > 2 {
					return t.Host.Futures().Library("%try-acquire-within", a...)
				}
				wants := permits(t, a)
				has := orderedCell(t, a[0]).AsInt()
				if has >= wants {
					setCell(t, a[0], value.Int(has-wants))
				}
				return value.Bool(has >= wants)
			}},
		{"release", "| n", entry.Constant, "Returns permits to a semaphore.", "",
			func(t *value.Task, a []value.Value) value.Value {
				n := orderedCell(t, a[0]).AsInt() + permits(t, a)
				if n > math.MaxInt32 {
					t.FailClass("java.lang.Error", diag.IllegalState, "Maximum permit count exceeded")
				}
				setCell(t, a[0], value.Int(n))
				return value.Nil
			}},
		{"drainPermits", "", entry.Constant, "Takes all permits of a semaphore. Returns their number.",
			`(.drainPermits (java.util.concurrent.Semaphore. 2)) => 2`, func(t *value.Task, a []value.Value) value.Value {
				n := orderedCell(t, a[0])
				if n.AsInt() > 0 {
					setCell(t, a[0], value.Int(0))
				}
				return n
			}},
		{"availablePermits", "", entry.Constant, "Returns the number of permits of a semaphore.", "", getCell},
	}
}

func atomicMethods() []methods {
	counters := []*value.JavaClass{AtomicLong, AtomicInteger}
	return []methods{{append(counters, AtomicBoolean, AtomicReference), cellMethods()}, {counters, counterMethods()},
		{[]*value.JavaClass{LongAdder}, adderMethods()}, {[]*value.JavaClass{ReentrantLock}, lockMethods()},
		{[]*value.JavaClass{Semaphore}, semaphoreMethods()}}
}

func atomicStatics() []entry.Entry {
	made := func(class *value.JavaClass, name, args string, first value.Value, doc, example string) entry.Entry {
		return entry.StaticMethod("new", name, args, entry.Constant, doc, example,
			func(t *value.Task, a []value.Value) value.Value {
				x := first
				if len(a) > 0 && class != ReentrantLock {
					x = wantCell(t, t.JavaOf(class), a[0])
				}
				return t.JavaOf(class, t.Atom(x))
			})
	}
	const shared = " Futures may change it, one after another."
	return []entry.Entry{
		made(AtomicLong, "AtomicLong", "| n", value.Int(0), "Returns an atomic integer of 64 bits."+shared,
			`(str (java.util.concurrent.atomic.AtomicLong. 5)) => "5"`),
		made(AtomicInteger, "AtomicInteger", "| n", value.Int(0), "Returns an atomic integer of 32 bits."+shared,
			`(.get (java.util.concurrent.atomic.AtomicInteger.)) => 0`),
		made(AtomicBoolean, "AtomicBoolean", "| x", value.False, "Returns an atomic boolean."+shared,
			`(.get (java.util.concurrent.atomic.AtomicBoolean.)) => false`),
		made(AtomicReference, "AtomicReference", "| x", value.Nil, "Returns an atomic reference."+shared,
			`(.get (java.util.concurrent.atomic.AtomicReference. :a)) => :a`),
		made(LongAdder, "LongAdder", "", value.Int(0), "Returns a sum to which can be added."+shared,
			`(.sum (java.util.concurrent.atomic.LongAdder.)) => 0`),
		made(ReentrantLock, "ReentrantLock", "| fair", value.Int(0), "Returns a lock.",
			`(.isLocked (java.util.concurrent.locks.ReentrantLock.)) => false`),
		made(Semaphore, "Semaphore", "n | n fair", value.Int(0), "Returns a semaphore of n permits.",
			`(.availablePermits (java.util.concurrent.Semaphore. 3)) => 3`),
		{NS: methodSpace, Name: "%order", Args: "x", Private: true, Cost: entry.Constant, Fn: order,
			Doc: "Waits for the futures before this one, if x is an object that they may change."},
		entry.StaticMethod("ThreadLocalRandom", "current", "", entry.Constant, "Returns a Random with a seed of the run.",
			`(.nextInt (java.util.concurrent.ThreadLocalRandom/current) 1) => 0`, newRandom),
	}
}
