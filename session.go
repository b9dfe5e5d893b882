// This file defines Session, which keeps definitions between evaluations.

package ptc

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/internal/inspect"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Session evaluates sources one after the other. Each can use the definitions of those before it. An
// evaluation that fails changes no definition. *1, *2 and *3 are the last values, *e is the last
// exception. A Session keeps the source of each evaluation, because errors show it.
//
// The zero Session is ready for use, with the zero Options. A Session must be used by one goroutine at a time.
// To call Eval during an evaluation, as a tool could, is an error.
type Session struct {
	opts    Options
	tools   *toolbox
	env     *compile.Env // nil until open
	files   *token.FileSet
	m       *eval.Evaluation
	workers sync.Pool        // of machines
	defs    []*compile.Proto // definitions so far, which macros may use
	data    map[string]any
	types   goTypes // of the data
	newData bool    // data has been set since the last evaluation began
	code    int64   // bytes of the code of all evaluations, at most
	count   int
	last    [3]int // globals of *1, *2, *3
	fail    int    // global of *e
	busy    atomic.Bool
	began   time.Time
}

// EvalOptions belong to one evaluation of a Session. The zero value is an evaluation without a name.
type EvalOptions struct {
	// Name identifies the source in errors. By default it is session-1 for the first evaluation, and so on.
	Name string
	// The other fields are those of RunOptions. An evaluation that is parked can't be resumed.
	ID        string
	Output    func(Print)
	Progress  *Progress
	Around    effect.Around
	Observer  *effect.Observer
	Seed      uint64
	Log       *slog.Logger
	OnPending func(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error)
	Pending   *Pending
}

// NewSession returns a session without definitions and without data; see SetData. Options that cannot be used are
// an error of each evaluation.
func NewSession(opts Options) *Session {
	s := &Session{opts: opts}
	s.open()
	return s
}

// open prepares a session, if that has not been done.
func (s *Session) open() {
	if s.env != nil {
		return
	}
	s.tools, s.env, s.files, s.m = newToolbox(s.opts), compile.NewEnv(), &token.FileSet{}, eval.New()
	s.began = time.Now()
	s.workers.New = newMachine
	s.env.AnyData = false
	s.env.Tools, s.env.Unfused, s.env.Resources = s.tools.known, s.opts.unfused, s.opts.Resources
	for i, name := range []string{"*1", "*2", "*3"} {
		s.last[i] = s.env.Intern("user", name)
	}
	s.fail = s.env.Intern("user", "*e")
	s.m.Link(s.env.Globals)
	for _, g := range append(s.last[:], s.fail) {
		s.m.SetGlobal(g, value.Nil)
	}
}

// SetData replaces the data that later evaluations read as data/name. See RunOptions.Data for the values. Results of
// earlier evaluations stay. A tool may call SetData during an evaluation, which keeps the data that it began with.
//
// Data that can't be converted is a *Error, and the session keeps the data that it had. An evaluation converts the data
// that it reads, so the host must not change it.
func (s *Session) SetData(data map[string]any) error {
	if s == nil {
		return noSession()
	}
	ctx := context.Background()
	if err := usable(ctx, &s.opts); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(data)) {
		err := converted(ctx, name, data[name], &s.opts, &s.types, func(*value.Task, value.Value) {})
		if err != nil {
			return err
		}
	}
	s.data, s.newData = maps.Clone(data), true
	return nil
}

// takeData sets the data of the next evaluation to the data that was set last.
func (s *Session) takeData() {
	if !s.newData {
		return
	}
	s.newData = false
	s.env.Data = slices.Sorted(maps.Keys(s.data))
	for i, g := range s.env.Globals {
		if g.NS == compile.DataNS {
			s.m.SetGlobal(i, value.Unbound)
		}
	}
}

// noSession is the error of the methods of a nil Session.
func noSession() *diag.Error {
	return diag.New(diag.IllegalState, token.Span{}, "the session is nil").WithHint("use one of ptc.NewSession")
}

// Eval compiles and runs source. The limits of the session's Options apply to each evaluation. Earlier
// definitions count against the memory limit, and so does the code of all evaluations. The error, if any, is a
// *Error; the Result then has the prints and the usage, and its value is nil.
func (s *Session) Eval(ctx context.Context, source string, given EvalOptions) (*Result, error) {
	if s == nil {
		return &Result{}, noSession()
	}
	if err := usable(ctx, &s.opts); err != nil {
		return &Result{}, err
	}
	if !s.busy.CompareAndSwap(false, true) {
		return &Result{}, diag.New(diag.IllegalState, token.Span{}, "the session evaluates something already").
			WithHint("wait for it, or use another session: a tool can't evaluate in the session that calls it")
	}
	defer s.busy.Store(false)
	s.open()
	s.takeData()
	if into := inspect.Into(ctx); into != nil {
		*into = inspected{s}
	}
	s.count++
	if given.Name == "" {
		given.Name = fmt.Sprintf("session-%d", s.count)
	}
	env := s.env.Clone()
	file := s.files.Add(given.Name, source)
	comp := newCompilation(ctx, s.opts, env, s.files)
	comp.expander.DefinedBefore(s.defs)
	protos, cerr := comp.compile(comp.compiler(), file)
	if cerr != nil {
		return &Result{}, cerr
	}
	if err := s.keepCode(comp.used()); err != nil {
		return &Result{}, err
	}
	res := &Result{}
	r := &runner{m: s.m, opts: &s.opts, tools: s.tools, types: &s.types, res: res, session: s, given: RunOptions{
		ID: given.ID, Data: s.data, Output: given.Output, Progress: given.Progress, Around: given.Around,
		Observer: given.Observer, Log: given.Log, OnPending: given.OnPending, Pending: given.Pending}}
	before := s.m.Globals()
	r.start(ctx, &s.workers, env, orRandom(given.Seed))
	defer r.release()
	if err := r.pend(ctx); err != nil { // there is none without a journal
		return res, err
	}
	v, defs, err := s.run(r, env, protos, comp.expander.Defined())
	r.end(ctx, v, err)
	evaled := s.m.TakeDefined()
	if r.err != nil {
		s.m.Restore(before)
		s.m.SetGlobal(s.fail, s.m.Uncaught())
		return res, r.err
	}
	if own := s.m.Env(); own != nil {
		env = own // with the definitions that eval and intern have added
	}
	s.env, s.defs = env, slices.Concat(s.defs, defs, evaled)
	s.keep(res.val)
	return res, nil
}

// keepCode counts the code of an evaluation, also of one that will fail: a function that it puts into an atom
// stays.
func (s *Session) keepCode(bytes int64) *diag.Error {
	if most := s.opts.Limits.OrDefault().Memory; s.code+bytes > most {
		return diag.New(diag.MemoryExceeded, token.Span{}, "the code of the session takes %d MB and wants %d MB more; "+
			"the session may hold %d MB", s.code>>20, bytes>>20, most>>20).
			WithHint("begin another session, or raise the memory limit (--memory)")
	}
	s.code += bytes
	s.m.KeepCode(bytes)
	return nil
}

// run runs the forms, after binding the inputs and values they may read. It returns the definitions among
// the forms, including those that eval has compiled, in order.
func (s *Session) run(r *runner, env *compile.Env, protos, defined []*compile.Proto) (v value.Value,
	defs []*compile.Proto, err *diag.Error) {
	for i, g := range env.Globals {
		if g.NS != compile.DataNS || !value.Identical(s.m.Global(i), value.Unbound) {
			continue
		}
		if _, ok := s.data[g.Name]; !ok {
			continue // it is a name that only definitions of earlier evaluations read, see machine.Machine.global
		}
		if berr := r.bind(s.data, dataSlot{g.Name, i, s.files.Span(g.Pos)}); berr != nil {
			return value.Nil, nil, berr
		}
	}
	for _, p := range protos {
		if v, err = s.m.Run(p); err != nil {
			return value.Nil, nil, err
		}
		if len(defined) > 0 && defined[0] == p {
			defs, defined = append(defs, p), defined[1:]
		}
		defs = append(defs, s.m.TakeDefined()...)
		if s.m.Ended() {
			break
		}
	}
	return v, append(defs, defined...), nil
}

// keep moves the last values along.
func (s *Session) keep(v value.Value) {
	s.m.SetGlobal(s.last[2], s.m.Global(s.last[1]))
	s.m.SetGlobal(s.last[1], s.m.Global(s.last[0]))
	s.m.SetGlobal(s.last[0], v)
}
