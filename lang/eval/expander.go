// This file defines Expander, which runs the macros of a program while it is
// compiled.

package eval

import (
	"context"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Expander runs macros on its own machine, which it makes when the first one is called. It runs
// the earlier definitions first, because a macro may use them. Their prints are dropped. A definition
// that fails stays unbound.
type Expander struct {
	ctx     context.Context
	env     *compile.Env
	opts    Options
	assists *limits.Meter // of the evaluation whose bounds apply; nil if those of opts apply
	m       *Evaluation
	earlier []*compile.Proto // definitions of earlier compilations; nil once they ran
	pending []*compile.Proto // of this compilation, not run yet
	defined []*compile.Proto // of this compilation
}

// NewExpander returns an expander for the definitions of env. ctx ends the macros.
func NewExpander(ctx context.Context, env *compile.Env, opts Options) *Expander {
	opts.Env = env
	return &Expander{ctx: ctx, env: env, opts: opts}
}

// DefinedBefore sets the definitions of earlier compilations, which the expander does not change.
func (x *Expander) DefinedBefore(earlier []*compile.Proto) { x.earlier = earlier }

// Define implements compile.Expander.
func (x *Expander) Define(p *compile.Proto) {
	x.pending = append(x.pending, p)
	x.defined = append(x.defined, p)
}

// Defined returns the definitions of this compilation.
func (x *Expander) Defined() []*compile.Proto { return x.defined }

// leave returns the steps that the macros did not use.
func (x *Expander) leave() {
	if x.m != nil && x.assists != nil {
		x.m.Leave()
	}
}

// Used returns the bytes that may still be live after the macros.
func (x *Expander) Used() int64 {
	if x.m == nil {
		return 0
	}
	return x.m.Used()
}

// Expand implements compile.Expander.
func (x *Expander) Expand(global int, args []value.Value) (value.Value, *diag.Error) {
	if err := x.runPending(); err != nil {
		return value.Nil, err
	}
	return x.form(x.m.Global(global), args...)
}

// ReadTag returns the form for a tagged literal of the source, by the function that *data-readers* has for the tag
// after the earlier definitions. ok is false if there is none.
func (x *Expander) ReadTag(tag, form value.Value) (out value.Value, ok bool, err *diag.Error) {
	if err := x.runPending(); err != nil {
		return value.Nil, false, err
	}
	readers, _ := x.m.Binding("*data-readers*")
	if !readers.Is(value.Maps) {
		return value.Nil, false, nil
	}
	f, ok := x.m.MapGet(readers, tag)
	if !ok {
		return value.Nil, false, nil
	}
	out, err = x.form(f, form)
	return out, true, err
}

// runPending runs the definitions that have not run yet.
func (x *Expander) runPending() *diag.Error {
	if x.m == nil {
		x.m = New()
		x.m.Start(x.ctx, x.opts)
		if x.assists != nil {
			x.m.Assist(x.assists, x.opts.Limits.Memory)
		}
	}
	x.m.Relink(x.env.Globals)
	for _, defs := range [][]*compile.Proto{x.earlier, x.pending} {
		for _, p := range defs {
			if _, err := x.m.Run(p); err != nil && !catchable(err) {
				return err
			}
		}
	}
	x.earlier, x.pending = nil, x.pending[:0]
	return nil
}

// form returns the form that a function returns.
func (x *Expander) form(f value.Value, args ...value.Value) (value.Value, *diag.Error) {
	x.m.EnterNS(x.env.NS)
	x.m.ForgetForm() // the place of an error is the call of the macro
	out, err := x.m.Apply(f, args...)
	if err != nil {
		return value.Nil, err
	}
	return x.m.RealiseForm(out)
}

// catchable reports whether an error is an exception, and not a bound of the run.
func catchable(err *diag.Error) bool {
	switch err.Code {
	case diag.Timeout, diag.StepsExceeded, diag.MemoryExceeded, diag.DepthExceeded, diag.Cancelled,
		diag.HostFailed, diag.Internal:
		return false
	}
	return true
}

// Compiling calls do, which reads, compiles or examines a program and allocates through t. It returns the error for
// a panic of do, such as a bound that was hit, and nil if do returns. It is the one entry of the compiler.
func Compiling(t *value.Task, do func()) (err *diag.Error) {
	defer func() {
		if r := recover(); r != nil {
			m := New()
			m.Meter = t.Meter
			err = m.ImportFailure(r)
		}
	}()
	do()
	return nil
}
