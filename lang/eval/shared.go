// This file defines the elements of operations that are shared with other nodes.

package eval

import (
	"context"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval/internal/machine"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// maxShared is the maximum number of bytes of a value that travels. The elements of larger ones run on each node, with
// the outcomes of their effects from the log: for a value of this size that is cheaper than the log.
const maxShared = 128 << 10

// shared deals with an element of a shared operation.
func (w *worker) shared(i int) {
	taken := w.op.shared.Take(i)
	w.begin(i)
	if !w.m.opts.Scheduler.Cancelled() {
		switch taken.Doing {
		case effect.DoLook:
			w.m.Look()
			// No bound of a scope ends it any more, since it is known to continue. Only the end of the run ends the wait.
			w.op.shared.Until(w.m.Context())
		case effect.DoTake:
			w.take(i, &taken.Given)
		case effect.DoRepeat:
			w.element(i)
		case effect.DoFollow:
			w.follow(i)
		case effect.DoRun:
			w.publish(i)
		}
	}
	w.end()
}

// run runs an element, and returns its outcome as other nodes are to know it. known is false if there is none: the
// element was cancelled, or ended by a bound that ends more than the element.
func (w *worker) run(i int) (v value.Value, err *diag.Error, g effect.Given, known bool) {
	m := w.m
	before := m.Steps()
	v, err = m.runElement(w.op, i)
	switch {
	case err != nil && err.Code == diag.Cancelled && m.opts.Scheduler.Cancelled():
		return v, err, g, false
	case err == nil && !m.Ended():
		g.Value, g.Plain = w.encode(v)
	case err != nil && m.Uncaught().IsNil() && err.Code != diag.MemoryExceeded && err.Code != diag.DepthExceeded &&
		err.Code != diag.Failed:
		if strayed(err.Code) || err.Code == diag.Parked {
			w.op.shared.Unsettled()
		}
		return v, err, g, false
	}
	below := w.op.takeSpent(i)
	g.Steps, g.Calls = m.Steps()-before+below.steps, below.calls
	if s := m.sheet; g.Plain && s != nil && len(s.Text) > 0 {
		g.Prints, g.Dropped = string(s.Text), m.printed
		for _, k := range s.marks {
			g.Marks = append(g.Marks, effect.PrintMark{From: k.from, Path: k.element})
		}
	} else if g.Plain {
		g.Dropped = m.printed
	}
	return v, err, g, true
}

// publish runs an element, and records its outcome before the operation hears of it.
func (w *worker) publish(i int) {
	v, err, g, known := w.run(i)
	if known {
		machine.EndIf(effect.RunError(w.op.shared.Give(i, g)))
	}
	w.conclude(i, v, err, &g, known)
}

// follow runs an element that another node runs, so that the operations in it are shared. The outcome is that of the
// other node.
func (w *worker) follow(i int) {
	v, err, own, known := w.run(i)
	if !known {
		w.conclude(i, v, err, &own, false)
		return
	}
	var g effect.Given
	var mine bool
	var failed error
	w.m.waiting(w.m.Context(), func(ctx context.Context) { g, mine, failed = w.op.shared.Settled(ctx, i) })
	machine.EndIf(effect.RunError(failed))
	if mine {
		g = own
		machine.EndIf(effect.RunError(w.op.shared.Give(i, g)))
	}
	w.conclude(i, v, err, &g, true)
}

// conclude delivers the outcome of an element that has run here. A value that is sent to other nodes is
// replaced by its decoded form, so that it is the same on all nodes, including the objects that it shares
// and the memory that it takes.
func (w *worker) conclude(i int, v value.Value, err *diag.Error, g *effect.Given, known bool) {
	m := w.m
	switch {
	case !known && err != nil && err.Code == diag.Cancelled && m.opts.Scheduler.Cancelled():
		// Nobody waits for the element.
	case known && g.Plain && err == nil:
		m.Drop()
		m.Shrink()
		m.SetUsed(w.base)
		m.ResetFragmentation()
		w.decoded(i, g)
	case err == nil && !m.Ended():
		w.succeed(i, v)
	default:
		w.fail(i, v, err)
	}
}

// take delivers the outcome that another node has recorded.
func (w *worker) take(i int, g *effect.Given) {
	m := w.m
	m.Spend(g.Steps)
	m.calls.TakeMany(g.Calls, true)
	m.opts.Workers.Calls.Add(g.Calls)
	if g.Prints != "" {
		m.restore(g)
	}
	m.printed = g.Dropped
	w.decoded(i, g)
}

// decoded delivers the value of an outcome.
func (w *worker) decoded(i int, g *effect.Given) {
	v, err := w.m.Import(func(t *value.Task) (value.Value, *diag.Error) {
		d := value.Decoder{Names: w.names(), Task: t}
		v, err := d.Decode(g.Value)
		if err != nil {
			return value.Nil, &diag.Error{Code: diag.Diverged, Message: "the value of an element can't be read: " + err.Error()}
		}
		return v, nil
	})
	switch {
	case err == nil:
		w.succeed(i, v)
	case err.Code == diag.Cancelled && w.m.opts.Scheduler.Cancelled():
	default:
		w.fail(i, value.Nil, err)
	}
}

// encode returns the bytes of a value; ok is false if it is not data alone, or too large.
func (w *worker) encode(v value.Value) (data []byte, ok bool) {
	_, err := w.m.Import(func(t *value.Task) (value.Value, *diag.Error) {
		e := value.Encoder{Names: w.names(), Limit: maxShared, Task: t}
		var refused error
		data, refused = e.Encode(nil, v)
		ok = refused == nil
		return value.Nil, nil
	})
	return data, ok && err == nil
}

// names finds the record types and the file of the program.
func (w *worker) names() value.CodecNames {
	return value.CodecNames{Record: w.m.TypeNamed, File: func(name string) *token.File {
		if f := w.op.span.File; f != nil && f.Name == name {
			return f
		}
		return nil
	}}
}

// restore replaces the prints of an element by its prints on another node.
func (m *Evaluation) restore(g *effect.Given) {
	s := m.needSheet()
	m.Charge(limits.ObjectSize(sheetSize))
	marks, paths := make([]mark, len(g.Marks)), int64(0)
	for k, p := range g.Marks {
		marks[k] = mark{p.From, p.Path}
		if p.Path != "" {
			paths += limits.BytesSize(len(p.Path))
		}
	}
	m.Charge(marksSize(cap(marks)) + paths)
	all := m.Gathered(s.Text, g.Prints)
	op := m.op
	if !op.streams {
		s.Text, s.marks, s.paths = all, marks, paths
		return
	}
	o := op.outlet
	o.mu.Lock()
	s.Text, s.marks, s.paths = all, marks, paths
	op.opened(m.index, s)
	op.hold()
	o.release(m)
}
