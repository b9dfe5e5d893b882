// This file finds the forms that Clojure's compiler knows to be doubles. A division by zero is
// infinite only if one of its operands is such a form. For Clojure other numbers are objects, whose
// division by zero is an error.

package compile

import (
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// maxDoubleDepth bounds the depth to which isDouble examines a form. Deeper parts count as unknown.
const maxDoubleDepth = 16

// isDouble reports whether the value of a form is known to be a double. It expands no macros,
// because they would run twice.
func (f *fn) isDouble(form value.Value) bool { return f.isDoubleAt(form, 0) }

func (f *fn) isDoubleAt(form value.Value, depth int) bool {
	f.c.t.Work(1)
	switch {
	case form.IsFloat():
		return true
	case form.IsSymbol():
		return f.isDoubleName(form.AsSymbol())
	}
	head, args, ok := call(form)
	if !ok || depth == maxDoubleDepth || !head.IsSymbol() || f.isLocal(head) {
		return false
	}
	if f.c.isSpecial(nil, head, entry.SpecialIf) {
		return len(args) == 3 && f.isDoubleAt(args[1], depth+1) && f.isDoubleAt(args[2], depth+1)
	}
	switch f.doublesOf(head) {
	case entry.DoubleAlways:
		return true
	case entry.DoubleOfArgs:
		for _, a := range args {
			if f.isDoubleAt(a, depth+1) {
				return true
			}
		}
	}
	return false
}

// doublesOf returns the facts of a library function about doubles.
func (f *fn) doublesOf(head value.Value) entry.Doubles {
	var e *entry.Entry
	if s := head.AsSymbol(); f.isCore(head) {
		e = builtins.Core(s.Name)
	} else if r := f.c.lookup(s); r.kind == refEntry {
		e = r.entry
	}
	if e == nil {
		return entry.DoubleUnknown
	}
	return e.Doubles
}

// isDoubleName reports whether a symbol is a local that is bound to a double, or a constant of Java
// that is one.
func (f *fn) isDoubleName(s *value.Symbol) bool {
	if s.NS != "" {
		r := f.c.lookup(s)
		return r.kind == refValue && r.value.IsFloat()
	}
	for g := f; g != nil; g = g.parent {
		for i := len(g.locals) - 1; i >= 0; i-- {
			if g.locals[i].name == s.Name {
				return g.locals[i].double
			}
		}
	}
	return false
}

// bindInit binds a symbol to a register that holds the value of a form.
func (f *fn) bindInit(sym value.Value, reg int, double bool) {
	f.bind(sym, reg)
	f.locals[len(f.locals)-1].double = double
}

// hintedDouble reports whether a parameter has the hint ^double.
func (f *fn) hintedDouble(sym value.Value) bool {
	meta := value.MetaOf(sym)
	if meta.IsNil() {
		return false
	}
	tag, ok := f.c.t.MapGet(meta, value.ConstKeyword("tag"))
	return ok && tag.IsSymbol() && tag.AsSymbol().Name == "double"
}

// divideCall compiles a division of two or more operands from the left.
func divideCall(f *fn, args []value.Value, cx ctx) bool {
	if len(args) < 2 {
		return false
	}
	acc, double := f.operand(args[0]), f.isDouble(args[0])
	for i, a := range args[1:] {
		dst, op := cx.dst, OpDiv
		if i < len(args)-2 {
			dst = f.alloc(1)
		}
		if double = double || f.isDouble(a); double {
			op = OpDivDouble
		}
		f.emit(op, dst, acc, f.operand(a))
		acc = dst
	}
	return true
}
