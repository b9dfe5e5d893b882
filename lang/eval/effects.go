// This file defines how an evaluation calls the tools of the host.
//
// A builtin asks for a call by unwinding, as it does for a parallel operation. The
// machine takes from the account all that the call may need, makes it, and keeps the
// outcome in the memo of the instruction: then the builtin is run again and finds it
// there, as JSON. So a call is made once, and what it gave is read under the account,
// by an instruction that can be run again.

package eval

import (
	"context"
	"strconv"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval/internal/machine"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Effects are what a run's evaluations can do outside of the program.
type Effects interface {
	// On gives the same to the evaluations of a worker, by its number.
	On(worker int) Effects
	// Began returns when the run began, or its session, from when elapsed time counts.
	Began() time.Time
	// Tools gives the tools, by name.
	Tools() []*value.Tool
	// Scratch gives a bound on the bytes that are taken beside arguments and result
	// while a call is prepared.
	Scratch(args string) int64
	// Call makes a call. It returns soon after ctx is done. An error, here and below, ends
	// the run.
	Call(ctx context.Context, c ToolCall) (value.ToolOutcome, *diag.Error)
	// Actor gives the evaluation at a path as the world outside knows it. parent is the
	// one of the nearest evaluation above that has one; nil if none has.
	Actor(parent any, path string) any
	// Enter takes a guard, and waits where it must. release gives the guard back. An error
	// is the program's, unless it is fatal; of code diag.Timeout if the time of a scope was
	// over.
	Enter(ctx context.Context, w GuardWish) (release func(), err *diag.Error, fatal bool)

	// The rest is asked only if Options.Journalled says so.

	// Time notes a reading of a clock, or returns what an earlier run has read.
	Time(id string, read func() int64) (int64, *diag.Error)
	// Print notes that the program prints.
	Print(id, text string) *diag.Error
	// Pause notes that the program begins to wait, and Paused that it has, or that the time
	// of a scope was over before; over says that it need not, since it has waited in an
	// earlier run, and late how that ended.
	Pause(id string, d time.Duration) (over, late bool, err *diag.Error)
	Paused(id string, late bool) *diag.Error
	// Choose notes that a parallel operation begins whose result depends on which elements
	// are the first to end, and Chosen which were. If that was decided in an earlier run,
	// Choose gives those.
	Choose(id, name string) (elements []int, decided bool, err *diag.Error)
	Chosen(id string, elements []int) *diag.Error
	// Excuse says that the elements of an operation (a path) from one on were not needed:
	// some of their effects may have happened.
	Excuse(operation string, from int)
	// Limits notes what is left of the bounds, or gives what was in an earlier run.
	Limits(id string, left *value.Narrowed) *diag.Error
	// Decide notes a decision that depended on timing and that the program can see.
	Decide(id, name string, decision []byte) *diag.Error

	// What follows is asked only if Options.Recalls says so.

	// Ahead tells what the earlier run had of the evaluation at a path behind so many effects
	// and operations.
	Ahead(path string, effect int, operation uint64) Ahead
	// Cut says that the earlier run began an effect and did not come to know its outcome.
	Cut(id string) bool
	// Had says whether the earlier run had effects in an operation.
	Had(operation string) bool
}

// Waiting is told when an evaluation begins to wait, and when that is over.
type Waiting interface {
	Block()
	Unblock()
}

// ToolCall is one call of a tool.
type ToolCall struct {
	ID   string // of the effect; see Machine.effectID
	Tool *value.Tool
	Args string
	Room int64 // bytes that the result may have
	// Scoped says that the deadline of the context is that of a scope: when it has passed
	// the program may go on, and so the call has an outcome.
	Scoped bool
	// Actor gives the evaluation as the world outside knows it.
	Actor func() any
}

// GuardWish is the wish of an evaluation for a guard.
type GuardWish struct {
	ID      string // of the effect
	Actor   any    // the evaluation; see Effects.Actor
	Guard   value.Guard
	Waiting Waiting // is told of the wait
	// Settled says that the evaluation has ended in an earlier run: all of its effects have
	// happened, and it needs no guard for them.
	Settled bool
	Scoped  bool // as in ToolCall
}

// calling asks the machine to call a tool for a builtin.
type calling struct {
	tool *value.Tool
	args string
}

// Tools implements value.Host.
func (m *Machine) Tools() []*value.Tool {
	if m.opts.Effects == nil {
		return nil
	}
	return m.opts.Effects.Tools()
}

// ArgumentBytes implements value.Host.
func (m *Machine) ArgumentBytes() int { return m.Limits().Arguments }

// CallTool implements value.Host.
func (m *Machine) CallTool(tool *value.Tool, args func() string) *value.ToolOutcome {
	if c, ok := m.Answer().(*called); ok {
		return &c.ToolOutcome
	}
	if m.opts.Effects == nil {
		m.FailHint(diag.NotSupported, "call it in a function that the running program calls",
			"tool/%s: no tool can be called while a program is compiled", tool.Name)
	}
	panic(calling{tool, args()})
}

// call calls a tool. What it may fail with comes before.
func (m *Machine) call(c calling) {
	m.Remember()
	need := limits.BytesSize(len(c.args)) + m.opts.Effects.Scratch(c.args)
	if m.Cap()-m.Used()-need < int64(m.Limits().CallResult) && m.Garbage() > 0 {
		m.Mark()
	}
	m.Charge(need)
	m.Look()
	m.haltIf(limits.AtCall, m.Looks())
	m.calls.Take(m.Decided())
	outcome, err := m.outside(c, m.Cap()-m.Used())
	m.Credit(need)
	m.Look() // a call that ended because the evaluation has is not the program's to see
	machine.EndIf(err)
	if f := outcome.Failure; f != nil && f.Kind == diag.Timeout {
		m.FailLate()
	}
	m.KeepCharged(&called{outcome})
}

// outside makes a call while others may use the processor. The call ends with the
// evaluation's time, or when nobody waits for the evaluation any more.
func (m *Machine) outside(c calling, room int64) (value.ToolOutcome, *diag.Error) {
	ctx, end := m.bounded()
	defer end()
	if p := m.opts.Place; p != nil {
		m.Yield()
		p.Block()
		defer p.Unblock()
	}
	return m.opts.Effects.Call(ctx, ToolCall{ID: m.effectID(), Tool: c.tool, Args: c.args, Room: room, Scoped: m.Scoped(), Actor: m.actor})
}

// bounded gives a context that ends with the evaluation's time, or when nobody waits for
// it any more.
func (m *Machine) bounded() (ctx context.Context, end func()) {
	ctx, cancel := context.WithTimeout(m.Context(), m.Left())
	p := m.opts.Place
	if p == nil {
		return ctx, cancel
	}
	p.OnCancel(cancel)
	return ctx, func() {
		p.OnCancel(nil)
		cancel()
	}
}

// actor gives the evaluation as the world outside knows it.
func (m *Machine) actor() any {
	if m.known == nil {
		var parent any
		for op := m.op; op != nil && parent == nil; op = op.m.op {
			parent = op.m.known
		}
		m.known = m.opts.Effects.Actor(parent, string(m.path()))
	}
	return m.known
}

// effectID gives the id of the next effect of this evaluation: its path and a number.
// The path of the main evaluation is 0; that of element i of an evaluation's n-th
// operation is the path of that evaluation, .n and .i. Nothing about time enters it.
func (m *Machine) effectID() string {
	m.effect++
	id := string(strconv.AppendInt(append(m.path(), '#'), int64(m.effect), 10))
	if m.opts.Recalls {
		m.meet(id)
	}
	return id
}

func (m *Machine) path() []byte {
	if m.op == nil {
		return []byte{'0'}
	}
	path := append(m.op.m.path(), '.')
	path = strconv.AppendInt(path, int64(m.op.number), 10)
	return strconv.AppendInt(append(path, '.'), int64(m.index), 10)
}

// called is the outcome of a call of a tool, or the refusal of a guard, as the memo of an
// instruction keeps it.
type called struct{ value.ToolOutcome }

// Mark implements machine.Answer: an outcome holds no values.
func (c *called) Mark(*value.Marker) {}

// Bytes implements machine.Answer.
func (c *called) Bytes() int64 {
	n := limits.BytesSize(len(c.Result)) + outcomeSize
	if f := c.Failure; f != nil {
		n += limits.BytesSize(len(f.Message)) + limits.BytesSize(len(f.Hint)) + limits.BytesSize(len(f.Data))
	}
	return n
}

// outcomeSize is what an outcome takes beside its texts.
const outcomeSize = 256
