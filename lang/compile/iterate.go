// This file defines the special forms of the prelude that loop.

package compile

import "github.com/ptc-lang/ptc/lang/value"

// foldForm compiles (%fold [x coll acc init] body).
func foldForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	items := f.pairs(form, args, "%fold")
	scope := len(f.locals)
	state := f.alloc(3)
	x, acc, tmp := f.alloc(1), f.alloc(1), f.alloc(1)
	f.expr(items[1], to(tmp))
	f.expr(items[3], to(acc))
	f.emit(OpIter, state, tmp, 0)
	top := f.here()
	next := f.emit(OpIterNext, state, x, 0)
	f.bind(items[0], x)
	f.bind(items[2], acc)
	f.body(args[1:], to(tmp))
	f.emit(OpMove, acc, tmp, 0)
	stop := f.emit(OpReduced, acc, 0, 0)
	f.loopTo(top)
	f.patch(next)
	f.patch(stop)
	f.locals = f.locals[:scope]
	f.emit(OpMove, cx.dst, acc, 0)
	f.done(cx)
}

// sortForm compiles (%sort-calls comp state): the comparator is called for one pair
// of elements after another, as the sort asks for them. The value is the state.
func sortForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	scope := len(f.locals)
	state, base := f.alloc(2), f.alloc(3)
	f.expr(args[0], to(base))
	f.expr(args[1], to(state))
	f.load(value.Nil, state+1)
	first := f.jump()
	top := f.here()
	f.emit(OpCall, base, 2, state+1) // counts the step of this loop
	f.word(0)
	f.patch(first)
	f.patchTo(f.emit(OpSortNext, state, base, 0), top)
	f.locals = f.locals[:scope]
	f.emit(OpMove, cx.dst, state, 0)
	f.done(cx)
}
