// This file defines which forms Clojure's compiler knows to be doubles. Only with one of them
// is a division by zero infinite: other numbers are objects there, which it refuses to divide.

package compile

import (
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/value"
)

// maxDoubleDepth bounds how deep isDouble looks; what lies deeper is taken for unknown.
const maxDoubleDepth = 16

// doubleMath are the functions of Math and clojure.math that give doubles for any numbers.
var doubleMath = sync.OnceValue(func() map[string]bool {
	names := make(map[string]bool)
	for name := range strings.FieldsSeq(`sqrt pow floor ceil sin cos tan asin acos atan atan2 exp log log10 cbrt hypot rint
signum toRadians toDegrees to-radians to-degrees random sinh cosh tanh expm1 log1p IEEEremainder IEEE-remainder`) {
		names[name] = true
	}
	return names
})

// isDouble says whether a form is known to give a double. It expands no macros, which would
// run them once more.
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
	name := head.AsSymbol().Name
	switch {
	case name == "if" && len(args) == 3:
		return f.isDoubleAt(args[1], depth+1) && f.isDoubleAt(args[2], depth+1)
	case f.isMath(head.AsSymbol().NS):
		return doubleMath()[name] || name == "abs" && len(args) == 1 && f.isDoubleAt(args[0], depth+1)
	case head.AsSymbol().NS == "Double":
		return name == "parseDouble"
	case !f.isCore(head):
		return false
	}
	switch name {
	case "double", "float":
		return true
	case "+", "-", "*", "/", "inc", "dec":
		for _, a := range args {
			if f.isDoubleAt(a, depth+1) {
				return true
			}
		}
	}
	return false
}

// isMath says whether a namespace is Math or an alias of clojure.math.
func (f *fn) isMath(ns string) bool {
	return ns == "Math" || ns == "clojure.math" || ns != "" && f.c.env.space().aliases[ns] == "clojure.math"
}

// isDoubleName says whether a local is bound to a double, or a constant of Java is one.
func (f *fn) isDoubleName(s *value.Symbol) bool {
	if s.NS != "" {
		return f.isMath(s.NS) && (s.Name == "PI" || s.Name == "E")
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

// bindInit makes a symbol stand for a register that holds the value of a form.
func (f *fn) bindInit(sym value.Value, reg int, double bool) {
	f.bind(sym, reg)
	f.locals[len(f.locals)-1].double = double
}

// hintedDouble says whether a parameter has the hint ^double.
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
