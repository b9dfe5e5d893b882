// This file defines promises: delays that deliver gives their value.

package value

import "github.com/ptc-lang/ptc/lang/diag"

// flagPromise marks a Delay that is a promise.
const flagPromise = 1

// undelivered is the function of a promise without a value. A program has one
// thread: what waits for a promise keeps everything else from delivering it.
var undelivered = ConstNative(Native{Name: "promise", Fn: func(t *Task, _ []Value) Value {
	t.FailHint(diag.IllegalState, "deliver it before it is read, or give deref a time and a default: (deref p 0 nil)",
		"deref: the promise has no value, and nothing could deliver it while the program waits")
	return Nil
}})

// Promise makes a promise.
func (t *Task) Promise() Value {
	d := t.Delay(undelivered)
	d.h.flags = flagPromise
	return d
}

// IsPromise says whether v is a promise.
func IsPromise(v Value) bool { return v.Kind() == KindDelay && v.h.flags&flagPromise != 0 }

// Deliver gives a promise its value, unless it has one; it says whether it did.
func (t *Task) Deliver(p, x Value) bool {
	d := p.AsDelay()
	if d.Fn == nil {
		return false
	}
	t.Owns(p, "promise")
	d.Val, d.Fn = x, nil
	return true
}
