// This file defines conditions, case, try, bindings and iteration.

package compile

import (
	"math"
	"sync"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// branch compiles a test and gives the jumps that are taken when its truth is
// sense; otherwise the code goes on.
func (f *fn) branch(form value.Value, sense bool) []int {
	pos := f.at(form)
	defer func() { f.pos = pos }()
	head, args, ok := call(form)
	if ok && head.IsSymbol() && !f.isLocal(head) && f.isCore(head) {
		switch name := head.AsSymbol().Name; {
		case name == "let*":
			return f.branchLet(form, args, sense)
		case name == "not" && len(args) == 1:
			return f.branch(args[0], !sense)
		case name == "and" && len(args) > 0:
			return f.branchChain(args, sense, false)
		case name == "or" && len(args) > 0:
			return f.branchChain(args, sense, true)
		default:
			if at, ok := f.branchCompare(name, args, sense); ok {
				return at
			}
		}
	}
	next := f.next
	r := f.operand(form)
	f.next = next
	if sense {
		return []int{f.emit(OpJTrue, r, 0, 0)}
	}
	return []int{f.emit(OpJFalse, r, 0, 0)}
}

// branchLet is branch for the last form of a let.
func (f *fn) branchLet(form value.Value, args []value.Value, sense bool) []int {
	items := f.pairs(form, args, "let")
	scope, next := len(f.locals), f.next
	for i := 0; i < len(items); i += 2 {
		name := f.name(items[i], "let")
		r := f.operand(items[i+1])
		f.bind(name, r)
	}
	last := value.Nil
	for i, x := range args[1:] {
		if i == len(args)-2 {
			last = x
		} else {
			f.effect(x)
		}
	}
	out := f.branch(last, sense)
	f.locals, f.next = f.locals[:scope], next
	return out
}

// isCore says whether a symbol means the name of clojure.core.
func (f *fn) isCore(head value.Value) bool {
	s := head.AsSymbol()
	if s.NS == CoreNS {
		return true
	}
	return s.NS == "" && f.c.env.Lookup(f.c.env.NS, s.Name) < 0 && f.c.env.space().refers[s.Name].ns == "" && f.c.env.space().refersCore(s.Name)
}

// branchChain is branch for and (stop is false) and or (stop is true): the first
// operand whose truth is stop decides.
func (f *fn) branchChain(args []value.Value, sense, stop bool) []int {
	var out, past []int
	for i, a := range args {
		switch {
		case i == len(args)-1:
			out = append(out, f.branch(a, sense)...)
		case sense == stop:
			out = append(out, f.branch(a, sense)...)
		default:
			past = append(past, f.branch(a, stop)...)
		}
	}
	f.patchAll(past)
	return out
}

// comparison describes a test of two operands as a jump: ops[0] jumps when it
// holds, ops[1] when it does not; the same against an integer constant on the
// right. swap exchanges the operands.
type comparison struct {
	ops, right, left [2]Op
	swap             bool
}

var comparisons = sync.OnceValue(func() map[string]comparison {
	return map[string]comparison{
		"<":  {[2]Op{OpJLt, OpJNLt}, [2]Op{OpJLtK, OpJNLtK}, [2]Op{OpJGtK, OpJNGtK}, false},
		"<=": {[2]Op{OpJLe, OpJNLe}, [2]Op{OpJLeK, OpJNLeK}, [2]Op{OpJGeK, OpJNGeK}, false},
		">":  {[2]Op{OpJLt, OpJNLt}, [2]Op{OpJGtK, OpJNGtK}, [2]Op{OpJLtK, OpJNLtK}, true},
		">=": {[2]Op{OpJLe, OpJNLe}, [2]Op{OpJGeK, OpJNGeK}, [2]Op{OpJLeK, OpJNLeK}, true},
		"=":  {[2]Op{OpJEq, OpJNEq}, [2]Op{OpJEqK, OpJNEqK}, [2]Op{OpJEqK, OpJNEqK}, false},
	}
})

// branchCompare compiles a comparison as one instruction.
func (f *fn) branchCompare(name string, args []value.Value, sense bool) ([]int, bool) {
	i := 1
	if sense {
		i = 0
	}
	next := f.next
	defer func() { f.next = next }()
	switch {
	case name == "nil?" && len(args) == 1:
		return []int{f.emit([2]Op{OpJNil, OpJNotNil}[i], f.operand(args[0]), 0, 0)}, true
	case name == "some?" && len(args) == 1:
		return []int{f.emit([2]Op{OpJNotNil, OpJNil}[i], f.operand(args[0]), 0, 0)}, true
	case name == "pos?" && len(args) == 1:
		return []int{f.emit([2]Op{OpJGtK, OpJNGtK}[i], f.operand(args[0]), f.constant(value.Int(0)), 0)}, true
	case name == "neg?" && len(args) == 1:
		return []int{f.emit([2]Op{OpJLtK, OpJNLtK}[i], f.operand(args[0]), f.constant(value.Int(0)), 0)}, true
	case name == "not=" && len(args) == 2:
		return f.branchCompare("=", args, !sense)
	}
	cmp, ok := comparisons()[name]
	if !ok || len(args) != 2 {
		return nil, false
	}
	if f.comparable(args[1], name) {
		return []int{f.emit(cmp.right[i], f.operand(args[0]), f.constant(args[1]), 0)}, true
	}
	if f.comparable(args[0], name) {
		return []int{f.emit(cmp.left[i], f.operand(args[1]), f.constant(args[0]), 0)}, true
	}
	a, b := f.operand(args[0]), f.operand(args[1])
	if cmp.swap {
		a, b = b, a
	}
	return []int{f.emit(cmp.ops[i], a, b, 0)}, true
}

// comparable says whether a form can be the constant operand of a comparison:
// any scalar for =, an integer for order.
func (f *fn) comparable(form value.Value, name string) bool {
	if form.IsInt() {
		return true
	}
	return name == "=" && form.Is(value.Kinds(value.KindKeyword, value.KindString, value.KindChar, value.KindBool, value.KindNil))
}

// caseForm compiles (case* x [constants expr …] default).
func caseForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	f.want(form, args, 3, 3, "(case* x [constants expr …] default)")
	clauses := value.Items(args[1])
	x := f.operand(args[0])
	var ends []int
	for i := 0; i+1 < len(clauses); i += 2 {
		consts, _ := listItems(clauses[i])
		var hits []int
		for j, k := range consts {
			op := OpJEqK
			if j == len(consts)-1 {
				op = OpJNEqK
			}
			hits = append(hits, f.emit(op, x, f.constant(k), 0))
		}
		if len(hits) == 0 {
			continue
		}
		miss := hits[len(hits)-1]
		f.patchAll(hits[:len(hits)-1])
		f.expr(clauses[i+1], cx)
		if !cx.ret {
			ends = append(ends, f.jump())
		}
		f.patch(miss)
	}
	f.expr(args[2], cx)
	f.patchAll(ends)
}

// tryForm compiles try. The finally part is compiled at each way out.
func tryForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	var body, catches []value.Value
	var finally []value.Value
	hasFinally := false
	for _, a := range args {
		head, rest, ok := call(a)
		switch {
		case ok && f.c.isSpecial(nil, head, "catch"):
			if hasFinally {
				f.c.fail(diag.BadForm, a, "try: catch must come before finally")
			}
			catches = append(catches, a)
		case ok && f.c.isSpecial(nil, head, "finally"):
			hasFinally, finally = true, rest
		case len(catches) > 0 || hasFinally:
			f.c.fail(diag.BadForm, a, "try: only catch and finally may follow catch and finally")
		default:
			body = append(body, a)
		}
	}
	if len(catches) == 0 && !hasFinally {
		f.body(body, ctx{dst: cx.dst, ret: cx.ret})
		return
	}
	f.protect(cx, finally, func(inner ctx) { f.body(body, inner) }, func(exc int, inner ctx, out func()) {
		f.catches(catches, exc, inner, out)
	})
}

// protect compiles body with a handler. The handler finds the exception in a
// register and leaves by out, or falls through to have it thrown on. finally is
// run on every way out.
func (f *fn) protect(cx ctx, finally []value.Value, body func(ctx), handler func(exc int, inner ctx, out func())) {
	exc := f.alloc(1)
	res := f.alloc(1)
	cleanup := func() {
		for _, form := range finally {
			f.effect(form)
		}
	}
	start := f.here()
	body(to(res))
	end := f.here()
	cleanup()
	ends := []int{f.jump()}
	caught := f.here()
	f.handler(start, end, caught, exc)
	// An exception inside a catch runs finally too, one inside finally does not.
	guarded := [][2]int{{caught, caught}}
	handler(exc, to(res), func() {
		guarded[len(guarded)-1][1] = f.here()
		cleanup()
		ends = append(ends, f.jump())
		guarded = append(guarded, [2]int{f.here(), f.here()})
	})
	rethrow := f.here()
	guarded[len(guarded)-1][1] = rethrow
	if finally != nil {
		for _, part := range guarded {
			f.handler(part[0], part[1], rethrow, exc)
		}
	}
	cleanup()
	f.emit(OpThrow, exc, 0, 0)
	f.patchAll(ends)
	f.emit(OpMove, cx.dst, res, 0)
	f.done(cx)
}

// handler notes a handler; inner ones are noted before outer ones.
func (f *fn) handler(start, end, target, reg int) {
	if start == end {
		return
	}
	f.proto.Handlers = append(f.proto.Handlers, Handler{int32(start), int32(end), int32(target), uint16(reg)})
}

// catches compiles the catch clauses as a chain of tests.
func (f *fn) catches(catches []value.Value, exc int, cx ctx, out func()) {
	for _, clause := range catches {
		_, args, _ := call(clause)
		if len(args) < 2 || !args[0].IsSymbol() && !args[0].IsKeyword() || !args[1].IsSymbol() {
			f.c.failHint(diag.BadForm, clause, "as in (catch Exception e (ex-message e))", "catch: want (catch Class name body…)")
		}
		name := f.name(args[1], "catch")
		class := f.c.catchClass(args[0])
		next, scope := f.next, len(f.locals)
		t := f.alloc(1)
		f.emit(OpCatch, t, exc, f.constant(class))
		miss := f.emit(OpJFalse, t, 0, 0)
		f.emit(OpMove, t, exc, 0)
		f.bind(name, t)
		f.body(args[2:], cx)
		f.locals, f.next = f.locals[:scope], next
		out()
		f.patch(miss)
	}
}

// catchClass gives the constant that stands for what a catch clause catches: a
// class, or a keyword for an error code of ours.
func (c *Compiler) catchClass(form value.Value) value.Value {
	if form.IsKeyword() {
		return form
	}
	if form.AsSymbol().Name == "default" {
		return form
	}
	class, ok := builtins.Class(symbolText(form.AsSymbol()))
	if !ok {
		c.failHint(diag.UnknownName, form, "catch Exception, or ExceptionInfo, ArithmeticException, …",
			"Unable to resolve classname: %s", symbolText(form.AsSymbol()))
	}
	return class
}

// bindingForm compiles (binding* [var value …] body…).
func bindingForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	items := f.pairs(form, args, "binding")
	first := f.alloc(len(items) / 2)
	var globals []int
	for i := 0; i < len(items); i += 2 {
		globals = append(globals, f.dynamic(items[i]))
		f.expr(items[i+1], to(first+i/2))
	}
	for i, g := range globals {
		f.emit(OpBind, 0, first+i, 0)
		f.word(g)
	}
	exc, res := f.alloc(1), f.alloc(1)
	start := f.here()
	f.body(args[1:], to(res))
	end := f.here()
	f.emit(OpUnbind, len(globals), 0, 0)
	over := f.jump()
	f.handler(start, end, f.here(), exc)
	f.emit(OpUnbind, len(globals), 0, 0)
	f.emit(OpThrow, exc, 0, 0)
	f.patch(over)
	f.emit(OpMove, cx.dst, res, 0)
	f.done(cx)
}

// dynamic gives the global of a dynamic var.
func (f *fn) dynamic(sym value.Value) int {
	if sym.IsSymbol() {
		r := f.c.lookup(sym.AsSymbol())
		if r.kind == refGlobal && f.c.env.Globals[r.global].Dynamic {
			return r.global
		}
		if r.kind == refEntry && r.entry.Dynamic() {
			return f.c.env.internDynamic(r.entry.NS, r.entry.Name)
		}
		if r.kind == refGlobal || r.kind == refEntry {
			f.c.failHint(diag.BadForm, sym, "define it as (def ^:dynamic "+symbolText(sym.AsSymbol())+" …)",
				"Can't dynamically bind non-dynamic var: %s", symbolText(sym.AsSymbol()))
		}
		f.c.unknown(f, sym, sym)
	}
	f.c.fail(diag.BadForm, sym, "binding: want the name of a dynamic var")
	return 0
}

// intrinsic compiles a call of a builtin to an instruction of its own; it gives
// false, having emitted nothing, where it cannot.
type intrinsic func(f *fn, args []value.Value, cx ctx) bool

// intrinsicNamed gives the intrinsic of a builtin of clojure.core, nil if it has
// none.
func intrinsicNamed(name string) intrinsic {
	switch name {
	case "+":
		return fold(OpAdd)
	case "-":
		return fold(OpSub)
	case "*":
		return fold(OpMul)
	case "/":
		return fold(OpDiv)
	case "inc":
		return step(1)
	case "dec":
		return step(-1)
	case "quot":
		return binary(OpQuot)
	case "rem":
		return binary(OpRem)
	case "mod":
		return binary(OpMod)
	case "<":
		return binary(OpLt)
	case "<=":
		return binary(OpLe)
	case ">":
		return swapped(OpLt)
	case ">=":
		return swapped(OpLe)
	case "=":
		return binary(OpEq)
	case "==":
		return binary(OpNumEq)
	case "identical?":
		return binary(OpSame)
	case "nil?":
		return unary(OpIsNil)
	case "get":
		return getCall
	case "nth":
		return nthCall
	case "seq":
		return unary(OpSeq)
	case "first":
		return unary(OpFirst)
	case "next":
		return unary(OpNext)
	case "rest":
		return unary(OpRest)
	case "deref":
		return unary(OpDeref)
	case "apply":
		return applyCall
	}
	return nil
}

func unary(op Op) intrinsic {
	return func(f *fn, args []value.Value, cx ctx) bool {
		if len(args) != 1 {
			return false
		}
		f.emit(op, cx.dst, f.operand(args[0]), 0)
		return true
	}
}

func binary(op Op) intrinsic {
	return func(f *fn, args []value.Value, cx ctx) bool {
		if len(args) != 2 {
			return false
		}
		a := f.operand(args[0])
		b := f.operand(args[1])
		f.emit(op, cx.dst, a, b)
		return true
	}
}

func swapped(op Op) intrinsic {
	return func(f *fn, args []value.Value, cx ctx) bool {
		if len(args) != 2 {
			return false
		}
		a := f.operand(args[0])
		b := f.operand(args[1])
		f.emit(op, cx.dst, b, a)
		return true
	}
}

// fold compiles an arithmetic operation on two or more operands from the left.
func fold(op Op) intrinsic {
	return func(f *fn, args []value.Value, cx ctx) bool {
		if len(args) < 2 {
			return false
		}
		acc := f.operand(args[0])
		for i, a := range args[1:] {
			dst := cx.dst
			if i < len(args)-2 {
				dst = f.alloc(1)
			}
			if n, ok := small(a, op); ok {
				f.emit(OpAddI, dst, acc, int(uint16(n)))
			} else {
				f.emit(op, dst, acc, f.operand(a))
			}
			acc = dst
		}
		return true
	}
}

// small gives the addend that an integer operand of + or - stands for, if it
// fits the instruction.
func small(form value.Value, op Op) (int16, bool) {
	if !form.IsInt() || op != OpAdd && op != OpSub {
		return 0, false
	}
	n := form.AsInt()
	if op == OpSub {
		n = -n
	}
	return int16(n), n > math.MinInt16 && n <= math.MaxInt16
}

func step(n int16) intrinsic {
	return func(f *fn, args []value.Value, cx ctx) bool {
		if len(args) != 1 {
			return false
		}
		f.emit(OpAddI, cx.dst, f.operand(args[0]), int(uint16(n)))
		return true
	}
}

// nthCall compiles nth. The instruction has a word behind it, as it may call the
// prelude.
func nthCall(f *fn, args []value.Value, cx ctx) bool {
	if !binary(OpNth)(f, args, cx) {
		return false
	}
	f.word(0)
	return true
}

func getCall(f *fn, args []value.Value, cx ctx) bool {
	if len(args) != 2 {
		return false
	}
	if args[1].IsKeyword() {
		f.emit(OpGetK, cx.dst, f.operand(args[0]), f.constant(args[1]))
		return true
	}
	return binary(OpGet)(f, args, cx)
}

func applyCall(f *fn, args []value.Value, cx ctx) bool {
	if len(args) < 2 {
		return false
	}
	base := f.alloc(1)
	f.expr(args[0], to(base))
	f.args(base, args[1:])
	f.emit(OpApply, base, len(args)-1, cx.dst)
	f.word(0)
	return true
}
