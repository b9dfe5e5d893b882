// This file defines how a run protects itself from the observer of its host.

package ptc

import (
	"sync/atomic"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// observer is the observer of a run. A panic of one of its functions ends the run.
type observer struct {
	safe   *effect.Observer           // nil if there is none
	failed atomic.Pointer[diag.Error] // the panic of Wait: a call of it may have taken guards, which it must get
}

// follow makes o, which is optional, the observer of the run.
func (w *observer) follow(o *effect.Observer) {
	if o == nil {
		return
	}
	w.safe = &effect.Observer{Ready: o.Ready}
	if o.Operation != nil {
		w.safe.Operation = func(op effect.Operation) func(diag.Code) {
			var ended func(diag.Code)
			orEnd("Observer.Operation", func() { ended = o.Operation(op) })
			if ended == nil {
				return nil
			}
			return func(failure diag.Code) { orEnd("Observer.Operation", func() { ended(failure) }) }
		}
	}
	if o.Element != nil {
		w.safe.Element = func(e effect.Element) { orEnd("Observer.Element", func() { o.Element(e) }) }
	}
	if o.Wait != nil {
		w.safe.Wait = func(id string, wait effect.Wait) {
			if err := byHost("Observer.Wait", func() { o.Wait(id, wait) }); err != nil {
				w.failed.CompareAndSwap(nil, err)
			}
		}
	}
}

// wait returns the function for waits; nil if there is none.
func (w *observer) wait() func(id string, wait effect.Wait) {
	if w.safe == nil {
		return nil
	}
	return w.safe.Wait
}

// orEnd calls a function of the host, whose panic ends the run.
func orEnd(name string, call func()) {
	if err := byHost(name, call); err != nil {
		eval.End(err)
	}
}
