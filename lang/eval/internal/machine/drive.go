// This file defines the border to package eval: a machine calls Tree, and package eval calls the
// methods of this file.

package machine

import (
	"context"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Tree is the evaluation tree of package eval, as its machines see it. It has all requests and
// notifications of a machine. The tree also gets each poll, through the Meter, and the calls of
// builtins that a machine does not answer itself, through value.Host.
type Tree interface {
	// Request handles a panic of a builtin, or of the Meter, that the machine does not know. known
	// is false if the tree does not know it either. goOn reports whether the evaluation continues.
	Request(r any) (goOn, known bool, err *diag.Error)
	// Overrun handles err, the error of an evaluation that has hit its bound on memory.
	Overrun(err *diag.Error) (goOn bool, ends *diag.Error)
	// HeldBefore returns the bytes that the evaluation held before its current bound on memory
	// began. They do not count for that bound.
	HeldBefore() int64
	// MemoryOption returns the name of the bound on memory, for messages.
	MemoryOption() string
	// Mark marks the values that the tree keeps for the evaluation, except its answers. Bytes
	// returns their size.
	Mark(mk *value.Marker)
	Bytes() int64
	// Abandon closes everything that the evaluation has open, because its code will not do so.
	Abandon()
}

// Answer is the outcome of a request. The machine keeps it until the builtin has run again to its
// end. Its bytes are charged.
type Answer interface {
	Mark(mk *value.Marker)
	Bytes() int64
}

// Config is the start of an evaluation.
type Config struct {
	Limits  *limits.Limits
	Steps   int64
	Timeout time.Duration
	Owner   uint32       // tag of the objects that the evaluation makes; not 0
	Seed    uint64       // of the random numbers
	Env     *compile.Env // the globals and names of the program, as it was compiled
}

// Init makes the zero Machine usable. Builtins see host, and the machine asks tree.
func (m *Machine) Init(host value.Host, tree Tree) {
	m.stack, m.frames = make([]value.Value, firstStack), make([]frame, firstFrames)
	m.Host, m.tree = host, tree
}

// InitInert makes the zero Machine usable for builtins only: no code runs on it.
func (m *Machine) InitInert(host value.Host, tree Tree, l limits.Limits) {
	m.frames = make([]frame, 1)
	m.Host, m.tree, m.limits, m.Inert = host, tree, &l, true
}

// Start begins an evaluation. Globals keep their values from an earlier start of the same session.
func (m *Machine) Start(ctx context.Context, c Config) {
	m.limits, m.compiled, m.Owner = c.Limits, c.Env, c.Owner
	m.Task.Start(ctx, c.Limits.Memory, c.Steps, c.Timeout)
	m.SetUsed(max(m.Used(), m.OwnBytes()))
	m.ResetMarks()
	m.Drop()
	m.evaluation = evaluation{seed: c.Seed}
	m.Identify(0)
	m.Link(c.Env.Globals)
}

// Reset forgets everything that a run left, so that the machine can serve another. Stacks that have
// grown are dropped, because a run must not depend on the previous one.
func (m *Machine) Reset() {
	m.Drop()
	m.Shrink()
	globals := m.globals
	clear(globals)
	if cap(globals) > firstStack {
		globals = nil
	}
	m.limits, m.compiled, m.program, m.evaluation = nil, nil, program{globals: globals[:0]}, evaluation{}
	m.PrintMethod = nil
	m.DropLocalCopies()
	m.Meter = limits.Meter{} // which refers to the run
}

// Drop closes and forgets everything that the evaluation has begun and not ended.
func (m *Machine) Drop() {
	m.tree.Abandon()
	m.progress = progress{}
	m.DropSpare()
}

// Loan lets other evaluations read the names of an evaluation that waits, with their values and its
// bindings. They may change none of them.
type Loan struct {
	from     *Machine
	name     string // of the function that waits
	bindings int
}

// Lend returns the loan of an evaluation that waits in the function called name.
func (m *Machine) Lend(name string) Loan { return Loan{m, name, len(m.dyn)} }

// JoinLoan prepares the machine for evaluations that work for the lender. The machine reads names
// and values of the lender, which do not change while it waits.
func (m *Machine) JoinLoan(l *Loan, owner uint32, w limits.Worker) {
	from := l.from
	m.limits, m.compiled, m.Owner = from.limits, from.compiled, owner
	if from.env != nil {
		m.compiled = from.env
	}
	m.program = program{globals: from.globals[:len(from.globals):len(from.globals)],
		setsLibrary: from.setsLibrary, loan: l}
	m.Task.Join(&from.Meter, w)
	m.ResetMarks()
}

// Begin begins an evaluation on a machine that has joined and is as new, with used bytes in the account.
func (m *Machine) Begin(used int64, seed uint64) {
	m.SetUsed(used)
	m.ResetFragmentation()
	from, n := m.loan.from, m.loan.bindings
	m.names, m.dyn, m.PrintMethod = from.names, from.dyn[:n:n], from.PrintMethod
	m.seed, m.marked = seed, used
	m.Fuel-- // so that no instruction has the identity of one of the previous evaluation
	m.Origin()
}

// End makes the machine as new for the next Begin. Stacks that have not grown keep their values,
// unless all is true.
func (m *Machine) End(all bool) {
	if all || len(m.stack) > firstStack || len(m.frames) > firstFrames {
		m.Shrink()
	}
	m.ResetWalk()
	m.DropLocalCopies()
	m.Drop()
	m.evaluation = evaluation{}
}

// LeaveLoan undoes JoinLoan.
func (m *Machine) LeaveLoan() {
	m.Task.Leave()
	m.program = program{} // which is the lender's
}

// Limits returns the bounds of the run, to read.
func (m *Machine) Limits() *limits.Limits { return m.limits }

// Compiled returns the names of the program, as it was compiled.
func (m *Machine) Compiled() *compile.Env { return m.compiled }

// Env returns the names as the evaluation has changed them, nil if it did not look at any.
func (m *Machine) Env() *compile.Env { return m.env }

// Link adds slots for globals; new ones are unbound.
func (m *Machine) Link(names []compile.Global) {
	m.names = names
	linked := len(m.globals)
	if linked >= len(names) {
		return
	}
	m.globals = slices.Grow(m.globals, len(names)-linked)[:len(names)]
	for i := linked; i < len(names); i++ {
		if m.globals[i] = value.Unbound; names[i].Library {
			m.globals[i] = names[i].Root
		}
	}
}

// Relink links the names of a compilation that has continued since they were linked last. It drops the run's own copy
// of the names, whose numbers of later names are others.
func (m *Machine) Relink(names []compile.Global) {
	if m.env != nil && len(names) > m.linked {
		m.Credit(m.envPaid)
		m.env, m.envPaid = nil, 0
		clear(m.globals[min(m.linked, len(m.globals)):])
		m.globals = m.globals[:min(m.linked, len(m.globals))]
	}
	m.linked = len(names)
	m.Link(names)
}

// Global returns the value of a global.
func (m *Machine) Global(i int) value.Value { return m.globals[i] }

// SetGlobal binds a global.
func (m *Machine) SetGlobal(i int, v value.Value) { m.globals[i] = v }

// Bound reports whether global i exists and has a value.
func (m *Machine) Bound(i int) bool {
	return i < len(m.globals) && !value.Identical(m.globals[i], value.Unbound)
}

// Globals returns a copy of the values of all globals, for Restore.
func (m *Machine) Globals() []value.Value { return append([]value.Value(nil), m.globals...) }

// Restore sets the globals to a copy made before.
func (m *Machine) Restore(globals []value.Value) {
	m.globals = append(m.globals[:0], globals...)
}

// Ended reports whether the program has ended early, by return: no further form runs.
func (m *Machine) Ended() bool { return m.returnedEarly }

// Uncaught returns the exception that ended the last run, nil if none did.
func (m *Machine) Uncaught() value.Value { return m.uncaught }

// Seed returns the seed of the random numbers.
func (m *Machine) Seed() uint64 { return m.seed }

// OwnBytes returns the size of the machine itself and of the values that the tree keeps for it.
func (m *Machine) OwnBytes() int64 {
	n := m.envPaid + value.ValsSize(len(m.stack)) + limits.ObjectSize(len(m.frames)*int(frameSize)) + m.dynBytes() +
		limits.ObjectSize(cap(m.memos)*memoSize) + limits.ObjectSize(cap(m.outs)*captureSize) + m.memo.bytes()
	for i := range m.memos {
		n += m.memos[i].bytes()
	}
	for i := range m.outs {
		n += m.outs[i].Bytes()
	}
	return n + m.tree.Bytes()
}

// Live returns the bytes that were live at the last mark.
func (m *Machine) Live() int64 { return m.marked }

// Garbage returns the bytes charged since the last mark.
func (m *Machine) Garbage() int64 { return m.Used() - m.marked }

// SetLive sets the bytes that Live returns, to undo a mark.
func (m *Machine) SetLive(n int64) { m.marked = n }

// Remember begins the memo of the running builtin, unless it has one. The memo keeps answers until
// the builtin has run again.
func (m *Machine) Remember() {
	if id := m.now(); m.memo.of != id {
		m.memo = memo{of: id}
	}
}

// Answer returns the answer to the running builtin, nil if there is none.
func (m *Machine) Answer() Answer {
	if m.memo.of != m.now() {
		return nil
	}
	return m.memo.answer
}

// Keep keeps the answer to the running builtin.
func (m *Machine) Keep(a Answer) { m.memo.answer = a }

// KeepCharged is Keep with a charge for the answer. The next refusal of memory counts as the first
// of the instruction.
func (m *Machine) KeepCharged(a Answer) {
	m.memo.answer = a
	m.SetUsed(m.Used() + a.Bytes())
	m.retry = identity{}
}

// RememberConsent is Remember, and reserves memory for a consent.
func (m *Machine) RememberConsent() {
	m.Remember()
	m.growMemos()
}

// Consent records that the request of the running builtin was granted, in the memory that
// RememberConsent has reserved.
func (m *Machine) Consent() { m.memo.results = append(m.memo.results, value.True) }

// Consented reports whether the request of the running builtin was granted.
func (m *Machine) Consented() bool { return m.memo.of == m.now() && len(m.memo.results) > 0 }

// Extent is a frame of the program that code can be unwound to.
type Extent struct{ fp, bindings, captures int }

// Here returns the extent of the running code.
func (m *Machine) Here() Extent { return Extent{m.fp, len(m.dyn), len(m.outs)} }

// UnwindTo drops everything inside an extent because of e.
func (m *Machine) UnwindTo(x Extent, e *value.Exception) {
	m.unwindTo(x.fp, e)
	m.dyn, m.outs = m.dyn[:x.bindings], m.outs[:x.captures]
}

// EndIf ends the run by an error, if there is one.
func EndIf(err *diag.Error) {
	if err != nil {
		panic(stop{err})
	}
}

// Failure returns the error for a panic in the host's code: the error that ended the run, or that
// of a bug.
func (m *Machine) Failure(r any) *diag.Error {
	if s, ok := r.(stop); ok {
		return s.err
	}
	return m.internal(r)
}

// ForgetForm makes errors show only places in the code that fails.
func (m *Machine) ForgetForm() { m.form = nil }

// Arguments begins a call of f with n arguments, at most MaxCall. The caller fills the returned
// slots and runs the call with Drive.
func (m *Machine) Arguments(f value.Value, n int) ([]value.Value, *diag.Error) {
	if err := m.reserve(callCode(n)); err != nil {
		return nil, err
	}
	m.stack[0] = f
	return m.stack[1 : 1+n], nil
}

// Kept returns the bytes that stay charged after a run has ended with v. It must be the last
// reading of the account. last means that no other evaluation of the machine's globals follows. A
// mark finds the garbage only if the account is at least half full.
func (m *Machine) Kept(v value.Value, last bool) (n int64) {
	n = m.Used()
	if n <= m.Cap()/2 {
		return n
	}
	defer func() {
		m.result = value.Nil
		if r := recover(); r != nil { // a bound was hit in the meantime: the charges stay the answer
			if _, stopped := r.(limits.Stop); !stopped {
				panic(r)
			}
		}
	}()
	if last {
		clear(m.globals)
	}
	m.result = v
	return m.Mark()
}
