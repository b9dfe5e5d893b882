// This file defines futures, promises, agents and latches: cells that an evaluation can wait for.

package value

// Sort is the kind of a Future.
type Sort uint8

// The sorts.
const (
	SortFuture   Sort = iota
	SortPromise       // Val is Unbound until it is delivered
	SortLatch         // Val is the count
	SortAgent         // Val is the state
	SortQueue         // of an agent: Val is a map of :actions and others
	SortThread        // Val is the future of the thread, nil before it starts
	SortExecutor      // Val is true if it was shut down
)

// State is the state of a future.
type State uint8

// The states. Only the owner changes them.
const (
	StateOutstanding State = iota // it begins when its evaluation waits
	StateRunning                  // it is an element of an operation, or of one that a limit has ended
	StateDone
	StateFailed // Val is the exception
	StateCancelled
	StateLate // a wait with a timeout has ended it
)

// Futures is the interface through which builtins use the futures of an evaluation.
//
// The futures of an evaluation are elements of an operation that begins when the evaluation waits. The program behaves
// as if they ran one after another: an element that changes a cell of an evaluation around it first waits for the
// elements before it, and continues with their changes of the cells. It hands its own changes to the
// waiting evaluation when it ends. So no mutable state is shared.
type Futures interface {
	// Outstanding returns a vector of the futures that have not begun. It is nil if there is none.
	Outstanding() Value
	SetOutstanding(v Value)
	// KeepInner puts aside the futures that were outstanding when the innermost scope of limits began, until
	// the scope ends. It reports whether anything is left.
	KeepInner() bool
	// RunOutstanding runs everything outstanding. Like Host.Call it unwinds, once.
	RunOutstanding()
	// Polled notes that the program has looked in vain whether something has ended. At every thousandth time it
	// runs everything outstanding, as a wait does. Like Host.Call it unwinds, once.
	Polled()
	// Library calls a function of the prelude. Like Host.Call it unwinds, once.
	Library(name string, args ...Value) Value
	// Seen returns the value of a cell as this evaluation sees it.
	Seen(cell Value) Value
	// Order waits for everything that comes before a change of the cell by this evaluation. It throws if the evaluation
	// may not change it.
	Order(cell Value)
	// Ordered is Order for a cell that is only read: it returns false instead.
	Ordered(cell Value) bool
	// Change sets a cell, after Order.
	Change(cell, x Value)
	// Act sets the state of an agent while this evaluation runs its actions, until it changes the agent.
	Act(agent, state Value)
	// Changes returns the changes that this element hands over, and the last element that they include.
	Changes() (changes Value, upTo int)
	// Join waits for a future of an evaluation around this one. ok is false if this evaluation can't wait for it.
	Join(f Value) (outcome Outcome, ok bool)
	// Blocked ends an element that waits in vain, if it may begin anew. Otherwise it returns.
	Blocked()
}

// Outcome is the result of an element that is a future: its status, its value and its changes.
type Outcome struct {
	Status Value // true, false if Value is its exception, nil if it has none
	Value  Value
}

// Future is a cell that an evaluation can wait for.
type Future struct {
	Atom
	Fn    Value // the function of a future, the agent whose actions it runs; the queue of an agent, the agent of a queue
	Index int32 // of a future that runs: its element
	Sort  Sort
	State State
}

var sizeFuture = objectSize[Future]()

// Future returns a new future, promise, latch, agent or queue.
func (t *Task) Future(sort Sort, fn, v Value) Value {
	t.Charge(sizeFuture)
	return t.newIdentity(&(&Future{Atom: Atom{Header: t.header(KindFuture), Val: v}, Fn: fn, Sort: sort}).Header)
}

// ConstFuture returns a future without a function that is not charged to any evaluation.
func ConstFuture(sort Sort) Value {
	return Value{h: &(&Future{Atom: Atom{Header: Header{kind: KindFuture}}, Sort: sort}).Header, bits: uint64(sort)}
}

// AsFuture returns v as a future.
func (v Value) AsFuture() *Future {
	if v.Kind() != KindFuture {
		badKind()
	}
	return as[Future](v)
}

// IsSort reports whether v is a future, promise, latch or agent of a sort.
func IsSort(v Value, s Sort) bool { return v.Kind() == KindFuture && v.AsFuture().Sort == s }

func (m *Marker) scanFuture(f *Future) {
	m.live += sizeFuture
	m.push(f.Val.h)
	m.push(f.Watches.h)
	m.push(f.Validator.h)
	m.push(f.Meta)
	m.push(f.Fn.h)
}

// futureClass are the names of the classes, which JVM Clojure makes without a name for the first two.
var futureClass = [...]string{SortFuture: "clojure.core$future_call$reify", SortPromise: "clojure.core$promise$reify",
	SortLatch: "java.util.concurrent.CountDownLatch", SortAgent: "clojure.lang.Agent", SortQueue: "clojure.lang.Agent",
	SortThread: "java.lang.Thread", SortExecutor: "java.util.concurrent.ThreadPoolExecutor"}

// sortName are the names of the sorts in messages.
var sortName = [...]string{SortFuture: "future", SortPromise: "promise", SortLatch: "latch", SortAgent: "agent",
	SortQueue: "agent", SortThread: "thread", SortExecutor: "executor"}

// SortName returns the name of the kind of a cell, for a message: "future", "atom".
func SortName(v Value) string {
	if v.Kind() == KindFuture {
		return sortName[v.AsFuture().Sort]
	}
	return KindName(v.Kind())
}

// futureStatus returns the status and the value that the printed form of a future shows.
func (t *Task) futureStatus(v Value) (status string, val Value) {
	f := v.AsFuture()
	switch {
	case f.Sort == SortFuture && f.State == StateFailed:
		return "failed", f.Val
	case f.Sort == SortFuture && f.State != StateDone:
		return "pending", Nil
	}
	val = f.Val
	if f.owner != t.Owner && f.Sort != SortFuture && t.Host != nil {
		val = t.Host.Futures().Seen(v)
	}
	if Identical(val, Unbound) {
		return "pending", Nil
	}
	return "ready", val
}
