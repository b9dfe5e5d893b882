// This file defines how an evaluation calls the tools of the host.
//
// A builtin asks for a call by unwinding, as it does for a parallel operation. The machine charges
// all that the call may need, makes it, and keeps the outcome as JSON in the memo of the
// instruction. Then it runs the builtin again, which finds the outcome there. So a call is made once,
// and its result is decoded under the account, by an instruction that can run again.

package eval

import (
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// World is the part of the outside world that the evaluations of a run can reach.
type World struct {
	Effects
	Began    time.Time        // from which elapsed time counts: the beginning of the run, or of its session
	Tools    []effect.Tool    // sorted by name
	Observer *effect.Observer // whose functions end the run if they panic; nil if there is none
	Log      *slog.Logger     // which shows no secrets; nil if there is none
}

// Effects reaches the world for the evaluations of a run.
type Effects interface {
	// Traits is that of value.Host.
	Traits(tool effect.Tool) string
	// Call makes a call. It returns soon after ctx ends. An error ends the run.
	Call(ctx context.Context, c effect.Call) (effect.Outcome, error)
	// Ask asks a question, whose arguments are those of c. It returns soon after ctx ends. An error ends the run.
	Ask(ctx context.Context, c effect.Call) (effect.Outcome, error)
	// Owner, Acquire and Release are those of effect.Guards and effect.Held. Acquire asks owner for the Owner of the
	// request.
	Owner(parent effect.Owner, path string) effect.Owner
	Acquire(ctx context.Context, r *effect.GuardRequest, owner func() effect.Owner) (effect.Held, error)
	Release(held effect.Held)
}

// log returns the log of the run if it takes messages of a level, otherwise nil.
func (m *Evaluation) log(level slog.Level) *slog.Logger {
	if m.opts.World == nil {
		return nil
	}
	if l := m.opts.World.Log; l != nil && l.Enabled(context.Background(), level) {
		return l
	}
	return nil
}

// calling asks the machine to call a tool for a builtin, or to ask a question: then the tool is nil.
type calling struct {
	tool effect.Tool
	args string
}

// scratch returns a bound on the memory in bytes that preparing a call takes, or waiting for an answer.
func (c *calling) scratch() int64 {
	if c.tool == nil {
		return effect.QuestionSize(c.args)
	}
	return c.tool.Scratch(c.args)
}

// Tools implements value.Host.
func (m *Evaluation) Tools() []effect.Tool {
	if m.opts.World == nil {
		return nil
	}
	return m.opts.World.Tools
}

// Traits implements value.Host.
func (m *Evaluation) Traits(tool effect.Tool) string {
	if m.opts.World == nil {
		return ""
	}
	return m.opts.World.Traits(tool)
}

// ArgumentBytes implements value.Host.
func (m *Evaluation) ArgumentBytes() int { return m.Limits().Arguments }

// CallTool implements value.Host.
func (m *Evaluation) CallTool(tool effect.Tool, args func() string) *effect.Outcome {
	if c, ok := m.Answer().(*called); ok {
		return &c.Outcome
	}
	if m.opts.World == nil {
		e := m.NewException(diag.NotSupported, "tool/"+tool.Name()+": no tool can be called while a program is compiled")
		e.Hint = "call it in a function that the running program calls"
		if strings.HasPrefix(tool.Name(), value.FileTools) {
			e.Class = value.FileNotFound
			e.Hint += "; a macro reads the files below the directories of --path"
		}
		m.Throw(e)
	}
	panic(calling{tool, args()})
}

// Ask implements value.Host.
func (m *Evaluation) Ask(args func() string) *effect.Outcome {
	if c, ok := m.Answer().(*called); ok {
		return &c.Outcome
	}
	if m.opts.World == nil {
		m.FailHint(diag.NotSupported, "call it in a function that the running program calls",
			"ask: nobody can be asked while a program is compiled")
	}
	panic(calling{nil, args()})
}

// call calls a tool. Everything that can be refused comes before the call.
func (m *Evaluation) call(c calling) {
	m.Remember()
	need := limits.BytesSize(len(c.args)) + c.scratch()
	if m.Cap()-m.Used()-need < int64(m.Limits().CallResult) && m.Garbage() > 0 {
		m.Mark()
	}
	m.Charge(need)
	m.Look()
	m.haltIf(limits.AtCall, m.Looks())
	m.acted = true
	m.calls.Take(m.Decided())
	m.countCall()
	outcome, err := m.await(c, m.Cap()-m.Used())
	m.Credit(need)
	if err != nil { // no scope may end instead, and let the run continue
		m.haltUnbegun(err)
		m.endBeyond(effect.RunError(err))
	}
	m.Look() // the program must not see the outcome of a call that the end of the evaluation has ended
	if f := outcome.Failure; f != nil && f.Kind == diag.Timeout {
		m.FailLate()
	}
	m.KeepCharged(&called{outcome})
}

// await makes a call and lets other workers use the processor in the meantime. The call ends at the
// deadline of the evaluation, or when the result of the evaluation is no longer needed.
func (m *Evaluation) await(c calling, room int64) (effect.Outcome, error) {
	ctx, end := m.bounded()
	defer end()
	if p := m.opts.Scheduler; p != nil {
		m.Yield()
		p.Block()
		defer p.Unblock()
	}
	call := effect.Call{ID: m.effectID(), Tool: c.tool, Args: json.RawMessage(c.args), Worker: m.worker(), Room: room,
		Scoped: m.Scoped(), Caller: caller{m}}
	if c.tool == nil {
		return m.opts.World.Ask(ctx, call)
	}
	return m.opts.World.Call(ctx, call)
}

// caller implements effect.Caller, and effect.Blocker.
type caller struct{ m *Evaluation }

func (c caller) Owner() effect.Owner { return c.m.owner() }
func (c caller) Place() string       { return c.m.UserSpan().String() }

func (c caller) Block() {
	if p := c.m.opts.Scheduler; p != nil {
		p.Block()
	}
}

func (c caller) Unblock() {
	if p := c.m.opts.Scheduler; p != nil {
		p.Unblock()
	}
}

func (c caller) Rest() {
	if p := c.m.opts.Scheduler; p != nil {
		p.Rest()
	}
}

func (c caller) Wake() {
	if p := c.m.opts.Scheduler; p != nil {
		p.Wake()
	}
}

// bounded returns a context that ends at the deadline of the evaluation, when its result is no
// longer needed, or when the program loses a guard.
func (m *Evaluation) bounded() (_ context.Context, end func()) {
	ctx, cancel := m.Timed()
	held, stop := m.whileHeld(ctx)
	p := m.opts.Scheduler
	if p == nil {
		return held, func() {
			stop()
			cancel()
		}
	}
	p.OnCancel(cancel)
	return held, func() {
		p.OnCancel(nil)
		stop()
		cancel()
	}
}

// whileHeld returns a context that ends when a guard of this evaluation, or of one that waits for
// it, is lost.
func (m *Evaluation) whileHeld(ctx context.Context) (_ context.Context, stop func()) {
	var held []effect.Held
	for e := m; ; e = e.op.m {
		held = append(held, e.holds...)
		if e.op == nil {
			break
		}
	}
	if len(held) == 0 {
		return ctx, func() {}
	}
	return effect.WhileHeld(ctx, held...)
}

// owner returns the owner of the evaluation's guards.
func (m *Evaluation) owner() effect.Owner {
	if m.known == nil {
		var parent effect.Owner
		for op := m.op; op != nil && parent == nil; op = op.m.op {
			parent = op.m.known
		}
		m.known = m.opts.World.Owner(parent, string(m.path()))
	}
	return m.known
}

// worker returns the number of the worker that the evaluation runs on, 0 for the main one.
func (m *Evaluation) worker() int {
	if m.opts.Scheduler == nil {
		return 0
	}
	return m.opts.Scheduler.Number()
}

// effectID returns the id of the next effect of this evaluation: its path and a number. The path of the
// main evaluation is 0; the path of element i of an evaluation's n-th operation is the path of that
// evaluation, followed by .n and .i. It does not depend on time.
func (m *Evaluation) effectID() string {
	m.effect++
	var room [32]byte
	id := string(strconv.AppendInt(append(m.appendPath(room[:0]), '#'), int64(m.effect), 10))
	if m.opts.Recalls {
		m.meet(id)
	}
	return id
}

func (m *Evaluation) path() []byte { return m.appendPath(nil) }

func (m *Evaluation) appendPath(to []byte) []byte {
	if m.op == nil {
		return append(to, '0')
	}
	to = append(m.op.m.appendPath(to), '.')
	to = strconv.AppendInt(to, int64(m.op.number), 10)
	return strconv.AppendInt(append(to, '.'), int64(m.index), 10)
}

// called is the outcome of a call of a tool, or the refusal of a guard, as the memo of an
// instruction keeps it.
type called struct{ effect.Outcome }

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

// outcomeSize is the size of an outcome without its strings.
const outcomeSize = 256
