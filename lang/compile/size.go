// This file defines the size of code, for the account of a run that compiles.

package compile

import (
	"iter"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

const (
	protoSize   = int(unsafe.Sizeof(Proto{}))
	fnSize      = int(unsafe.Sizeof(Fn{}))
	closureSize = int(unsafe.Sizeof(value.Fn{}))
	handlerSize = int(unsafe.Sizeof(Handler{}))
	instrSize   = int(unsafe.Sizeof(Instr(0)))
	posSize     = 4
	pointerSize = 8
	// nativeSize is the size of an entry in Natives, of its name and of the function after it,
	// which may be made for the number of arguments.
	nativeSize = pointerSize + 16 + 96
)

// Size returns the size in bytes of the code with the functions in it, and with the liveness that
// is computed while it runs, but without its constants.
func (p *Proto) Size() int64 {
	n := limits.ObjectSize(protoSize) + limits.ObjectSize(fnSize) + limits.ObjectSize(closureSize) +
		limits.BytesSize(cap(p.Code)*instrSize) + limits.BytesSize(cap(p.Pos)*posSize) +
		value.ValsSize(cap(p.Consts)) + limits.ObjectSize(cap(p.Natives)*nativeSize) +
		limits.ObjectSize(cap(p.Fns)*pointerSize) + limits.BytesSize(cap(p.Handlers)*handlerSize)
	vars := p.Regs + p.captured()
	if words := (vars + 63) / 64 * (len(p.Code) + 1); words <= maxLiveness {
		n += limits.ObjectSize(int(unsafe.Sizeof(liveness{}))) + limits.BytesSize(words*pointerSize)
	}
	for a := range p.inner() {
		n += limits.ObjectSize(fnSize) + limits.ObjectSize(pointerSize) + a.Size()
	}
	return n
}

// EachConst visits the constants of the code and of the functions in it.
func (p *Proto) EachConst(visit func(v value.Value)) {
	for _, v := range p.Consts {
		visit(v)
	}
	for a := range p.inner() {
		a.EachConst(visit)
	}
}

// inner returns the arities of the functions in the code: closures and constants, except functions of the
// library.
func (p *Proto) inner() iter.Seq[*Proto] {
	return func(yield func(*Proto) bool) {
		for _, f := range p.Fns {
			if !f.arities(yield) {
				return
			}
		}
		for _, v := range p.Consts {
			if v.Kind() != value.KindFn {
				continue
			}
			own := func(a *Proto) bool { return a.Files != p.Files || yield(a) }
			if !FnOf(v.AsFn()).arities(own) {
				return
			}
		}
	}
}

func (f *Fn) arities(yield func(*Proto) bool) bool {
	for _, a := range f.ByArity {
		if a != nil && !yield(a) {
			return false
		}
	}
	return f.Variadic == nil || yield(f.Variadic)
}
