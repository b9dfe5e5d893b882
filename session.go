// This file defines Session, which keeps definitions between evaluations.

package ptc

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// Session evaluates sources one after the other; what one defines, the next can
// use. An evaluation that fails leaves every definition as it was. *1, *2 and *3
// are the last values, *e is the last exception. A Session keeps the source of each
// evaluation, since errors show it. It is used by one goroutine at a time; to evaluate while
// it evaluates, as a tool that it calls could, is an error.
type Session struct {
	opts    Options
	tools   *toolbox
	env     *compile.Env
	files   *token.FileSet
	m       *eval.Machine
	workers sync.Pool        // of machines
	defs    []*compile.Proto // definitions so far, which macros may use
	in      Input
	count   int
	last    [3]int // globals of *1, *2, *3
	fail    int    // global of *e
	busy    atomic.Bool
	began   time.Time
}

// NewSession gives a session without definitions. Its input is empty; see
// SetData. Options that can't be obeyed are an error of each evaluation.
func NewSession(opts Options) *Session {
	s := &Session{opts: opts, tools: newToolbox(opts), env: compile.NewEnv(), files: &token.FileSet{}, m: eval.New(), began: time.Now()}
	s.workers.New = newMachine
	s.env.Data, s.env.AnyData = opts.DataNames, false
	s.env.Tools, s.env.Unfused = s.tools.known, opts.unfused
	for i, name := range []string{"*1", "*2", "*3"} {
		s.last[i] = s.env.Intern("user", name)
	}
	s.fail = s.env.Intern("user", "*e")
	s.m.Link(s.env.Globals)
	for _, g := range append(s.last[:], s.fail) {
		s.m.SetGlobal(g, value.Nil)
	}
	return s
}

// SetData gives the session its input, for data/name, in place of any it had. What
// earlier evaluations computed stays.
func (s *Session) SetData(data map[string]any) {
	s.in.Data = data
	s.env.Data = slices.Sorted(maps.Keys(data))
	for i, g := range s.env.Globals {
		if g.NS == compile.DataNS {
			s.m.SetGlobal(i, value.Unbound)
		}
	}
}

// Eval compiles and runs source. The bounds of the session's Options hold for
// each evaluation; its memory bound counts what earlier ones left defined. The
// error, if any, is a *Error, and the Result is given also then: with what was
// printed and used, and a nil value.
func (s *Session) Eval(ctx context.Context, source string) (*Result, error) {
	return s.EvalFile(ctx, fmt.Sprintf("session-%d", s.count+1), source)
}

// EvalFile is Eval for a source that has a name, which stands for it in errors.
func (s *Session) EvalFile(ctx context.Context, name, source string) (*Result, error) {
	if err := wantContext(ctx); err != nil {
		return &Result{}, err
	}
	if err := checked(s.opts.Limits); err != nil {
		return &Result{}, err
	}
	if !s.busy.CompareAndSwap(false, true) {
		return &Result{}, diag.New(diag.IllegalState, token.Span{}, "the session evaluates something already").
			WithHint("wait for it, or use another session: a tool can't evaluate in the session that calls it")
	}
	defer s.busy.Store(false)
	s.count++
	env := s.env.Clone()
	file := s.files.Add(name, source)
	comp := newCompilation(ctx, s.opts, env, s.files)
	comp.expander.DefinedBefore(s.defs)
	protos, cerr := comp.compile(file)
	if cerr != nil {
		return &Result{}, cerr
	}
	res := &Result{}
	r := &runner{m: s.m, opts: &s.opts, tools: s.tools, res: res, session: s}
	before := s.m.Globals()
	r.start(ctx, &s.workers, env, s.opts.seed(), nil)
	v, err := s.run(r, env, protos)
	r.end(v, err)
	if r.err != nil {
		s.m.Restore(before)
		s.m.SetGlobal(s.fail, s.m.Uncaught())
		return res, r.err
	}
	if own := s.m.Env(); own != nil {
		env = own // with what eval and intern have added
	}
	s.env, s.defs = env, append(s.defs, comp.expander.Defined()...)
	s.keep(res.val)
	return res, nil
}

// run runs the forms, after binding the inputs and values they may read.
func (s *Session) run(r *runner, env *compile.Env, protos []*compile.Proto) (v value.Value, err *diag.Error) {
	for i, g := range env.Globals {
		if g.NS != compile.DataNS || !value.Identical(s.m.Global(i), value.Unbound) {
			continue
		}
		if berr := r.bind(s.in, dataSlot{g.Name, i, s.files.Span(g.Pos)}); berr != nil {
			return value.Nil, berr
		}
	}
	for _, p := range protos {
		if v, err = s.m.Run(p); err != nil {
			return value.Nil, err
		}
		if s.m.Ended() {
			break
		}
	}
	return v, nil
}

// keep moves the last values along.
func (s *Session) keep(v value.Value) {
	s.m.SetGlobal(s.last[2], s.m.Global(s.last[1]))
	s.m.SetGlobal(s.last[1], s.m.Global(s.last[0]))
	s.m.SetGlobal(s.last[0], v)
}
