// This file defines how apply calls a builtin with more arguments than one block holds:
// the builtin takes them from the sequence that they are in.

package entry

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// ManyFunc calls a builtin, whose function is f, with the elements of a sequence as arguments.
type ManyFunc func(t *value.Task, f value.NativeFunc, args value.Value) value.Value

// ApplyMany calls a builtin with n arguments, more than fit in a block.
func ApplyMany(t *value.Task, f *value.Native, args value.Value, n int) value.Value {
	if e, ok := f.Entry.(*Entry); ok && e.Many != nil {
		return e.Many(t, f.Fn, args)
	}
	if f.Max >= 0 {
		t.Fail(diag.BadArity, "Wrong number of args (%d) passed to: clojure.core/%s", n, f.Name)
	}
	t.FailHint(diag.NotSupported, "reduce goes through a collection of any length",
		"apply: %d arguments for %s, at most %d", n, f.Name, value.BlockVals)
	return value.Nil
}

// batch is the number of arguments that are passed at a time. It is even, for pairs.
const batch = 4096

// Take fills a block with the next elements.
func Take(it *value.Iter, block []value.Value) int {
	for i := range block {
		x, ok := it.Next()
		if !ok {
			return i
		}
		block[i] = x
	}
	return len(block)
}

// FromLeft is for a builtin that continues from its result for the arguments so far. The first call
// takes least arguments.
func FromLeft(least int) ManyFunc {
	return func(t *value.Task, f value.NativeFunc, args value.Value) value.Value {
		it, block := t.Iter(args), t.Vals(1+batch)
		so := f(t, block[:Take(it, block[:least])])
		for {
			block[0] = so
			n := Take(it, block[1:])
			if n == 0 {
				return so
			}
			so = f(t, block[:1+n])
		}
	}
}

// InOrder is for a builtin that compares each argument with the next.
func InOrder(t *value.Task, f value.NativeFunc, args value.Value) value.Value {
	it, block := t.Iter(args), t.Vals(1+batch)
	for n := Take(it, block); n > 1; n = 1 + Take(it, block[1:]) {
		if so := f(t, block[:n]); !so.Truthy() {
			return so
		}
		block[0] = block[n-1]
	}
	return value.True
}
