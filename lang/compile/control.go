// This file defines case, try, and the binding of dynamic variables.

package compile

import (
	"slices"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jclass"
	"github.com/ptc-lang/ptc/lang/value"
)

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

// tryForm compiles try. The finally part is compiled at each exit.
func tryForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	var body, catches []value.Value
	var finally []value.Value
	hasFinally := false
	for _, a := range args {
		head, rest, ok := call(a)
		switch {
		case ok && f.c.isSpecial(nil, head, entry.SpecialCatch):
			if hasFinally {
				f.c.fail(diag.BadForm, a, "try: catch must come before finally")
			}
			catches = append(catches, a)
		case ok && f.c.isSpecial(nil, head, entry.SpecialFinally):
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

// protect compiles body with a handler. The handler gets the exception in a register, and leaves by
// out or falls through to throw it again. finally runs at each exit.
func (f *fn) protect(cx ctx, finally []value.Value, body func(ctx), handler func(exc int, inner ctx, out func())) {
	exc, res := f.alloc(1), f.alloc(1)
	f.branches = true // an exception of the body may be caught
	outer := f.c.node
	node := f.c.node
	cleanup := func() {
		f.c.node, node = node, nil // it is noted once
		for _, form := range finally {
			f.discard(form)
		}
		f.c.node = outer
	}
	start := f.here()
	body(to(res))
	end := f.here()
	cleanup()
	ends := []int{f.jump()}
	caught := f.here()
	f.handler(start, end, caught, exc)
	// An exception in a catch runs finally too; one in finally does not.
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

// handler adds a handler. Inner handlers are added before outer ones.
func (f *fn) handler(start, end, target, reg int) {
	if start == end {
		return
	}
	f.proto.Handlers = append(f.proto.Handlers, Handler{int32(start), int32(end), int32(target), uint16(reg), false})
}

// pureHandler adds the handler at which the machine continues when it leaves pure code.
func (f *fn) pureHandler(start, end, target, reg int) {
	f.proto.Handlers = append(f.proto.Handlers, Handler{int32(start), int32(end), int32(target), uint16(reg), true})
}

// catches compiles the catch clauses as a chain of tests.
func (f *fn) catches(catches []value.Value, exc int, cx ctx, out func()) {
	for _, clause := range catches {
		_, args, _ := call(clause)
		if len(args) < 2 || !args[0].IsSymbol() && !args[0].IsKeyword() || !args[1].IsSymbol() {
			f.c.failHint(diag.BadForm, clause, "as in (catch Exception e (ex-message e))",
				"catch: want (catch Class name body…)")
		}
		f.name(args[1], "catch")
		class := f.c.catchClass(args[0])
		next, scope := f.next, len(f.locals)
		t := f.alloc(1)
		f.emit(OpCatch, t, exc, f.constant(class))
		miss := f.emit(OpJFalse, t, 0, 0)
		f.emit(OpMove, t, exc, 0)
		f.bind(args[1], t)
		f.body(args[2:], cx)
		f.locals, f.next = f.locals[:scope], next
		out()
		f.patch(miss)
	}
}

// catchClass returns the constant for a catch clause: a class, or a keyword for an error code of
// PTC.
func (c *Compiler) catchClass(form value.Value) value.Value {
	if form.IsKeyword() {
		return form
	}
	if form.AsSymbol().Name == "default" {
		return form
	}
	var class value.Value
	if r := c.lookup(form.AsSymbol()); r.kind == refValue && r.value.Kind() == value.KindType {
		class = r.value
		c.mention(form, r)
	} else if why, ok := c.missing(form.AsSymbol()); ok {
		name := symbolText(form.AsSymbol())
		c.postpone(c.errorAt(diag.Unsupported, form, "%s is not available in a task program", name).WithHint("%s", why))
		class = jclass.HostClass(name)
	} else {
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
	outer := f.bindsNS
	f.bindsNS = outer || slices.ContainsFunc(globals, func(g int) bool {
		return f.c.env.Globals[g].setting == entry.SettingNS
	})
	f.body(args[1:], to(res))
	f.bindsNS = outer
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

// dynamic returns the global of a dynamic var.
func (f *fn) dynamic(sym value.Value) int {
	if sym.IsSymbol() {
		r := f.c.lookup(sym.AsSymbol())
		if r.kind == refGlobal && f.c.env.Globals[r.global].Dynamic {
			return r.global
		}
		if r.kind == refEntry && r.entry.Dynamic() {
			return f.c.env.internDynamic(r.entry.NS, r.entry.Name)
		}
		if r.kind == refEntry && r.entry.BindsAs != "" {
			return f.c.env.internDynamic(r.entry.NS, r.entry.BindsAs)
		}
		if r.kind == refGlobal || r.kind == refEntry {
			f.c.failHint(diag.BadForm, sym, "define it as (def ^:dynamic "+symbolText(sym.AsSymbol())+" …)",
				"Can't dynamically bind non-dynamic var: %s", symbolText(sym.AsSymbol()))
		}
		panic(failure{f.c.unknown(f, sym, sym)})
	}
	f.c.fail(diag.BadForm, sym, "binding: want the name of a dynamic var")
	return 0
}
