// This file defines the literals of collections.

package compile

import (
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/value"
)

// literalBlock is the number of elements of a literal that are collected at a time. A longer literal
// is built in steps, so that it needs few registers.
const literalBlock = 128

// withMeta compiles a literal with metadata that must be evaluated. It returns false if there is no
// such metadata.
func (f *fn) withMeta(form value.Value, cx ctx) bool {
	meta := value.MetaOf(form)
	if value.MapCount(meta) == 0 {
		return false
	}
	if _, constant := f.c.constantForm(form); constant && f.c.allConstant(meta) {
		return false
	}
	plain := value.WithMeta(f.c.t, form, value.Nil)
	f.expr(f.c.callForm(form, CoreNS, "with-meta", []value.Value{plain, meta}), cx)
	return true
}

// constantLiteral compiles a literal whose parts are all constants, and reports whether it
// is one.
func (f *fn) constantLiteral(form value.Value, cx ctx) bool {
	v, ok := f.c.constantForm(form)
	if ok {
		f.load(v, cx.dst)
		f.done(cx)
	}
	return ok
}

func (f *fn) vector(form value.Value, cx ctx) {
	if f.withMeta(form, cx) || f.constantLiteral(form, cx) {
		return
	}
	f.collection(OpVector, value.Items(form), "into", cx)
}

func (f *fn) mapForm(form value.Value, cx ctx) {
	if f.withMeta(form, cx) || f.constantLiteral(form, cx) {
		return
	}
	var items []value.Value
	for it := value.NewMapIter(form); it.Next(); {
		items = append(items, it.Key, it.Val)
	}
	if keys, ok := f.sharedKeys(items); ok {
		n := len(items) / 2
		first := f.alloc(n)
		for i := range n {
			f.expr(items[2*i+1], to(first+i))
		}
		f.emit(OpRecord, cx.dst, first, keys)
		f.done(cx)
		return
	}
	f.collection(OpMap, items, "merge", cx)
}

// sharedKeys returns the constant with the keys of a literal if all of them are constants, so that
// all maps of the literal share them.
func (f *fn) sharedKeys(items []value.Value) (constant int, ok bool) {
	n := len(items) / 2
	if n > value.MaxRecord {
		return 0, false
	}
	for i := range n {
		if !items[2*i].Is(literalKeys) {
			return 0, false
		}
	}
	keys := f.c.t.Vals(n)
	for i := range keys {
		keys[i] = f.c.intern(items[2*i])
	}
	return f.constant(value.Of(&f.c.t.Chunk(keys).Header)), true
}

var literalKeys = value.Kinds(value.KindKeyword, value.KindString, value.KindInt, value.KindBool, value.KindChar)

func (f *fn) setForm(form value.Value, cx ctx) {
	if f.withMeta(form, cx) || f.constantLiteral(form, cx) {
		return
	}
	f.collection(OpSet, value.Items(form), "into", cx)
}

// collection builds a literal of items; join is the name of the function that adds another block.
func (f *fn) collection(op Op, items []value.Value, join string, cx ctx) {
	if len(items) <= literalBlock {
		first := f.alloc(len(items))
		for i, item := range items {
			f.expr(item, to(first+i))
		}
		f.emit(op, cx.dst, first, len(items))
		f.vectors = f.vectors || op == OpVector
		f.done(cx)
		return
	}
	base := f.alloc(3) // callee slot, the collection so far, the next block
	f.collection(op, items[:literalBlock], join, to(base+1))
	for rest := items[literalBlock:]; len(rest) > 0; {
		n := min(len(rest), literalBlock)
		f.collection(op, rest[:n], join, to(base+2))
		f.callEntry(builtins.Lookup(CoreNS, join), base, 2, base+1)
		rest = rest[n:]
	}
	f.emit(OpMove, cx.dst, base+1, 0)
	f.done(cx)
}
