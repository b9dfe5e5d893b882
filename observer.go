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
	failed atomic.Pointer[diag.Error] // the panic of Wait or WaitBegun: a call may have taken guards, which it must get
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
			w.noted(byHost("Observer.Wait", func() { o.Wait(id, wait) }))
		}
	}
	if o.WaitBegun != nil {
		w.safe.WaitBegun = func(id string, b effect.Begun) {
			w.noted(byHost("Observer.WaitBegun", func() { o.WaitBegun(id, b) }))
		}
	}
}

// noted keeps the first panic of a function for waits.
func (w *observer) noted(err *diag.Error) {
	if err != nil {
		w.failed.CompareAndSwap(nil, err)
	}
}

// orEnd calls a function of the host, whose panic ends the run.
func orEnd(name string, call func()) {
	if err := byHost(name, call); err != nil {
		eval.End(err)
	}
}
