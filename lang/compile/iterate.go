// This file defines the special forms of the prelude that loop.

package compile

import "github.com/ptc-lang/ptc/lang/value"

// folding is the innermost %fold around the code: the registers of its iteration, of the
// element and of the accumulator, where its body begins, and the jumps to its end.
type folding struct {
	state, x, acc int
	top           int
	ends          []int
}

// foldForm compiles (%fold [x coll acc init] body).
func foldForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	items := f.pairs(form, args, "%fold")
	scope := len(f.locals)
	state := f.alloc(3)
	x, acc, tmp := f.alloc(1), f.alloc(1), f.alloc(1)
	f.expr(items[1], to(tmp))
	f.expr(items[3], to(acc))
	f.emit(OpIter, state, tmp, 0)
	around := f.fold
	l := &folding{state: state, x: x, acc: acc, top: f.here()}
	f.fold = l
	l.ends = append(l.ends, f.emit(OpIterNext, state, x, 0))
	f.bind(items[0], x)
	f.bind(items[2], acc)
	f.body(args[1:], to(acc)) // which is written when the body has read everything
	f.fold = around
	l.ends = append(l.ends, f.emit(OpReduced, acc, 0, 0))
	f.loopTo(l.top)
	f.patchAll(l.ends)
	f.locals = f.locals[:scope]
	f.emit(OpMove, cx.dst, acc, 0)
	f.done(cx)
}

// nextForm compiles (%next value?), which ends the body of a %fold. It continues at the next
// element with value, reduced or not, or with the unchanged accumulator.
func nextForm(f *fn, _ value.Value, args []value.Value, _ ctx) {
	if len(args) > 0 {
		f.expr(args[0], to(f.fold.acc))
	}
	f.loopTo(f.fold.top)
}

// endForm compiles (%end value), which ends the body of a %fold, and the fold with value. If that is a cell, the
// function around the fold returns it.
func endForm(f *fn, _ value.Value, args []value.Value, _ ctx) {
	f.expr(args[0], to(f.fold.acc))
	if last := f.here() - 1; f.proto.Code[last].Op() == OpCons {
		f.proto.Code[last] = f.proto.Code[last].as(OpCell)
	}
	f.fold.ends = append(f.fold.ends, f.jump())
}

// pureForm compiles (%pure [rest] body written), which ends the body of a %fold. Its value is that
// of body, which only calls pure functions. If one of them fails, or would run code of the program,
// or if the value is reduced, body is abandoned, and the fold ends with the value of written. rest
// is the sequence from the current element on.
//
// A program can't notice that body was begun, because body changes nothing.
func pureForm(f *fn, _ value.Value, args []value.Value, cx ctx) {
	l := f.fold
	scope := len(f.locals)
	exc, rest := f.alloc(1), f.alloc(1)
	start := f.here()
	f.expr(args[1], cx)
	end := f.here()
	reduced := f.emit(OpReduced, cx.dst, 0, 0)
	past := f.jump()
	f.patch(reduced)
	f.pureHandler(start, end, f.here(), exc)
	f.emit(OpIterRest, l.state, l.x, rest)
	f.bind(value.Items(args[0])[0], rest)
	f.fold = nil
	f.expr(args[2], to(l.acc))
	f.fold = l
	f.locals = f.locals[:scope]
	l.ends = append(l.ends, f.jump())
	f.patch(past)
}

// sortForm compiles (%sort-calls comp state): it calls the comparator for each pair of elements
// that the sort requests. The value is the state.
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
