// This file defines the special forms.

package compile

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// special compiles one special form; args are the forms after the head.
type special func(f *fn, form value.Value, args []value.Value, cx ctx)

// specialForm returns the function that compiles a special form, nil if there is none. It is a function,
// not a table, because each process would build a table at its start.
func specialForm(form entry.Special) special {
	switch form {
	case entry.SpecialDef:
		return defForm
	case entry.SpecialIf:
		return ifForm
	case entry.SpecialDo:
		return doForm
	case entry.SpecialLet:
		return letForm
	case entry.SpecialLoop:
		return loopForm
	case entry.SpecialRecur:
		return recurForm
	case entry.SpecialFn:
		return fnForm
	case entry.SpecialLetfn:
		return letfnForm
	case entry.SpecialQuote:
		return quoteForm
	case entry.SpecialVar:
		return varForm
	case entry.SpecialTry:
		return tryForm
	case entry.SpecialThrow:
		return throwForm
	case entry.SpecialSet:
		return setForm
	case entry.SpecialCase:
		return caseForm
	case entry.SpecialAnd:
		return andForm
	case entry.SpecialOr:
		return orForm
	case entry.SpecialNot:
		return notForm
	case entry.SpecialWhen:
		return whenForm
	case entry.SpecialWhenNot:
		return whenNotForm
	case entry.SpecialLazySeq:
		return lazySeqForm
	case entry.SpecialBinding:
		return bindingForm
	case entry.SpecialDefmacro:
		return defmacroForm
	case entry.SpecialNS:
		return nsForm
	case entry.SpecialInNS:
		return inNSForm
	case entry.SpecialRequire, entry.SpecialUse:
		return requireForm
	case entry.SpecialRefer, entry.SpecialReferClojure:
		return referForm
	case entry.SpecialAlias:
		return aliasForm
	case entry.SpecialCreateNS:
		return createNSForm
	case entry.SpecialImport:
		return importForm
	case entry.SpecialFields:
		return fieldsForm
	case entry.SpecialDeclare:
		return declareForm
	case entry.SpecialFold:
		return foldForm
	case entry.SpecialNext:
		return nextForm
	case entry.SpecialEnd:
		return endForm
	case entry.SpecialExpecting:
		return expectingForm
	case entry.SpecialPure:
		return pureForm
	case entry.SpecialSort:
		return sortForm
	case entry.SpecialRegex:
		return regexForm
	}
	return nil
}

// coreEntry returns the entry of clojure.core that a symbol may name, nil if it names another one.
func coreEntry(s *value.Symbol) *entry.Entry {
	if s.NS != "" && s.NS != CoreNS {
		return nil
	}
	return builtins.Core(s.Name)
}

// specialNamed returns the special form that a symbol names, if it names no local.
func specialNamed(s *value.Symbol) entry.Special {
	if e := coreEntry(s); e != nil {
		return e.Special
	}
	return entry.NotSpecial
}

// isForm reports whether a symbol names a special form for which the compiler has a function.
func isForm(s *value.Symbol) bool { return specialForm(specialNamed(s)) != nil }

// isBare reports whether syntax-quote leaves a name unchanged: those of Clojure's special forms,
// and that of patterns, which the reader writes.
func isBare(name string) bool {
	e := builtins.Core(name)
	return e != nil && (e.Bare || e.Special == entry.SpecialRegex)
}

// alwaysSpecial reports whether a call of a name is one of Clojure's special forms, which no local and no definition of
// that name replaces.
func alwaysSpecial(s *value.Symbol) bool { return s.NS == "" && isBare(s.Name) && isForm(s) }

// isSpecial reports whether head, not shadowed by a local of f, names a special form.
func (c *Compiler) isSpecial(f *fn, head value.Value, form entry.Special) bool {
	return head.IsSymbol() && specialNamed(head.AsSymbol()) == form &&
		(f == nil || alwaysSpecial(head.AsSymbol()) || !f.isLocal(head))
}

// want fails unless the number of arguments is between least and most (-1: any).
func (f *fn) want(form value.Value, args []value.Value, least, most int, shape string) {
	if len(args) < least || most >= 0 && len(args) > most {
		name, _, _ := strings.Cut(strings.TrimPrefix(shape, "("), " ")
		hint := ""
		if name == "if" && len(args) > most {
			hint = "(do …) makes one form of several; cond takes several tests"
		}
		f.c.failHint(diag.BadForm, form, hint, "%s: got %s, want %s", name, diag.Counted(len(args), "form"), shape)
	}
}

func ifForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	f.want(form, args, 2, 3, "(if test then else?)")
	els := value.Nil
	if len(args) == 3 {
		els = args[2]
	}
	f.cond(func() []int { return f.branch(args[0], false) },
		func() { f.expr(args[1], cx) }, func() { f.expr(els, cx) }, cx)
}

// cond compiles a two-way choice: test returns the jumps taken to the else part.
func (f *fn) cond(test func() []int, then, els func(), cx ctx) {
	next := f.next
	toElse := test()
	f.next = next
	then()
	toEnd := -1
	if !cx.ret {
		toEnd = f.jump()
	}
	f.patchAll(toElse)
	els()
	if toEnd >= 0 {
		f.patch(toEnd)
	}
}

func whenForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	f.want(form, args, 1, -1, "(when test body…)")
	f.cond(func() []int { return f.branch(args[0], false) },
		func() { f.body(args[1:], cx) }, func() { f.nothing(cx) }, cx)
}

func whenNotForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	f.want(form, args, 1, -1, "(when-not test body…)")
	f.cond(func() []int { return f.branch(args[0], true) },
		func() { f.body(args[1:], cx) }, func() { f.nothing(cx) }, cx)
}

// nothing compiles a nil for which the program has no form.
func (f *fn) nothing(cx ctx) {
	f.load(value.Nil, cx.dst)
	f.done(cx)
}

func doForm(f *fn, _ value.Value, args []value.Value, cx ctx) { f.body(args, cx) }

// body compiles forms in order; the value is the last one's.
func (f *fn) body(forms []value.Value, cx ctx) {
	if len(forms) == 0 {
		f.expr(value.Nil, cx)
		return
	}
	forms = f.pushedBindings(forms)
	for _, form := range forms[:len(forms)-1] {
		f.discard(form)
	}
	f.expr(forms[len(forms)-1], cx)
}

// discard compiles a form whose value is not used.
func (f *fn) discard(form value.Value) {
	next := f.next
	f.expr(form, to(f.alloc(1)))
	if n := f.c.last(); n != nil {
		n.Discarded = true
	}
	f.next = next
}

func notForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	f.want(form, args, 1, 1, "(not x)")
	f.emit(OpNot, cx.dst, f.operand(args[0]), 0)
	f.done(cx)
}

func andForm(f *fn, _ value.Value, args []value.Value, cx ctx) {
	f.chain(args, value.True, OpJFalse, cx)
}

func orForm(f *fn, _ value.Value, args []value.Value, cx ctx) { f.chain(args, value.Nil, OpJTrue, cx) }

// chain compiles and/or: the value is the first on which stop jumps, or the last.
func (f *fn) chain(args []value.Value, empty value.Value, stop Op, cx ctx) {
	if len(args) == 0 {
		f.expr(empty, cx)
		return
	}
	tmp := f.alloc(1)
	var out []int
	for _, a := range args[:len(args)-1] {
		f.expr(a, to(tmp))
		out = append(out, f.emit(stop, tmp, 0, 0))
	}
	if cx.ret || cx.rec != nil {
		f.expr(args[len(args)-1], ctx{dst: cx.dst, ret: cx.ret, rec: cx.rec})
		if cx.ret {
			f.patchAll(out)
			f.emit(OpReturn, tmp, 0, 0)
			return
		}
		end := f.jump()
		f.patchAll(out)
		f.emit(OpMove, cx.dst, tmp, 0)
		f.patch(end)
		return
	}
	f.expr(args[len(args)-1], to(tmp))
	f.patchAll(out)
	f.emit(OpMove, cx.dst, tmp, 0)
}

func quoteForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	f.want(form, args, 1, 1, "(quote form)")
	f.load(Patterns(f.c.t, args[0]), cx.dst)
	f.done(cx)
}

func throwForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	f.want(form, args, 1, 1, "(throw exception)")
	f.emit(OpThrow, f.operand(args[0]), 0, 0)
}

func lazySeqForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	r := f.alloc(1)
	code, captures := f.function(f.c.thunk(form, args), "")
	f.makeClosure(code, captures, r)
	f.emit(OpLazy, cx.dst, r, code.ByArity[0].cells())
	f.done(cx)
}

// cells turns the calls of cons whose cell is returned into OpCell. It returns the number of cells that are returned.
func (p *Proto) cells() int {
	n := 0
	for pc := 0; pc < len(p.Code)-1; pc += p.operandsAt(pc).size {
		in, next := p.Code[pc], p.Code[pc+1]
		if in.Op() == OpCons && next.Op() == OpReturn && next.A() == in.A() {
			p.Code[pc] = in.as(OpCell)
		}
		if p.Code[pc].Op() == OpCell {
			n++
		}
	}
	return n
}

// thunk returns the form (fn* [] body…).
func (c *Compiler) thunk(at value.Value, body []value.Value) value.Value {
	items := append([]value.Value{c.t.Symbol("", "fn*"), c.t.Vector()}, body...)
	l := c.t.List(items...)
	l.AsCons().Pos = posOf(at)
	return l
}

func regexForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	f.want(form, args, 1, 1, "a pattern")
	f.load(f.c.regex(form, args[0]), cx.dst)
	f.done(cx)
}

// name checks that a form is a plain symbol.
func (f *fn) name(form value.Value, what string) string {
	if !form.IsSymbol() || form.AsSymbol().NS != "" {
		f.c.fail(diag.BadForm, form, "%s: got %s, want a symbol without a namespace", what, value.Describe(f.c.t, form))
	}
	return form.AsSymbol().Name
}

// pairs splits a binding vector.
func (f *fn) pairs(form value.Value, args []value.Value, what string) []value.Value {
	if len(args) == 0 || !args[0].Is(value.Vectors) {
		f.c.fail(diag.BadForm, form, "%s: want a vector of bindings", what)
	}
	items := value.Items(args[0])
	if len(items)%2 != 0 {
		f.c.fail(diag.BadForm, args[0], "%s: bindings come in pairs, got %s", what, diag.Counted(len(items), "form"))
	}
	return items
}

func letForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	items := f.pairs(form, args, "let")
	scope, next := len(f.locals), f.next
	for i := 0; i < len(items); i += 2 {
		name := f.name(items[i], "let")
		r := f.alloc(1)
		f.named(name, items[i+1], to(r))
		f.bindInit(items[i], r, f.isDouble(items[i+1]))
		f.c.noteInit()
	}
	f.body(args[1:], cx)
	f.locals, f.next = f.locals[:scope], next
}

// named compiles the init of a name, so that traces can name a function by it.
func (f *fn) named(name string, init value.Value, cx ctx) {
	if head, _, ok := call(init); ok && f.c.isSpecial(f, head, entry.SpecialFn) {
		pos := f.at(init)
		f.closure(init, name, cx)
		f.pos = pos
		return
	}
	f.expr(init, cx)
}

func loopForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	items := f.pairs(form, args, "loop")
	scope, next := len(f.locals), f.next
	first := f.alloc(len(items) / 2)
	for i := 0; i < len(items); i += 2 {
		f.name(items[i], "loop")
		f.expr(items[i+1], to(first+i/2))
		f.bindInit(items[i], first+i/2, f.isDouble(items[i+1]))
		f.c.noteInit()
	}
	l := &loop{first: first, count: len(items) / 2, top: f.here()}
	f.body(args[1:], ctx{dst: cx.dst, ret: cx.ret, rec: l})
	f.locals, f.next = f.locals[:scope], next
}

func recurForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	l := cx.rec
	if l == nil {
		f.c.failHint(diag.MisplacedRecur, form, "recur must be the last thing that a loop or function does, outside of try "+
			"and of bodies such as those of host-exclusive, retry and with-limits",
			"Can only recur from tail position")
	}
	if len(args) != l.count {
		f.c.failHint(diag.BadArity, form, "recur passes a value for each name, also for those that stay as they are",
			"recur: got %s, the loop or function has %d", diag.Counted(len(args), "value"), l.count)
	}
	// The last value may be computed directly into its register; the others wait in new registers until
	// all have been read.
	moves := make([]int, len(args))
	for i, a := range args {
		if r, ok := f.isRegister(a, l.first+i); ok {
			moves[i] = r
			continue
		}
		if i == len(args)-1 && !f.usesCaptured(a) {
			moves[i] = -1
			f.expr(a, to(l.first+i))
			continue
		}
		moves[i] = f.alloc(1)
		f.expr(a, to(moves[i]))
	}
	for i, r := range moves {
		if r >= 0 && r != l.first+i {
			f.emit(OpMove, l.first+i, r, 0)
		}
	}
	f.loopTo(l.top)
}

// isRegister reports whether a form is the local in register reg itself, which a
// recur need not move.
func (f *fn) isRegister(form value.Value, reg int) (int, bool) {
	if !form.IsSymbol() || form.AsSymbol().NS != "" || f.c.noting() {
		return 0, false
	}
	p, ok := f.find(form.AsSymbol().Name)
	return reg, ok && p.kind == inReg && p.index == reg
}

// usesCaptured reports whether a form is not a plain expression, so that it might read the loop's
// register after it has been written.
func (f *fn) usesCaptured(form value.Value) bool {
	head, args, ok := call(form)
	if !ok {
		return false
	}
	if !head.IsSymbol() || f.isLocal(head) {
		return true
	}
	if e := builtins.Core(head.AsSymbol().Name); e == nil || instruction(e.Intrinsic) == nil {
		return true
	}
	for _, a := range args {
		if _, _, nested := call(a); nested {
			return true
		}
	}
	return false
}

func setForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	f.want(form, args, 2, 2, "(set! name value)")
	if field, ok := f.fieldOf(args[0]); ok {
		f.expr(f.c.callForm(form, CoreNS, "%set-field", append(field, args[1])), cx)
		return
	}
	if args[0].IsSymbol() {
		if r := f.c.lookup(args[0].AsSymbol()); r.kind == refGlobal && f.c.env.Globals[r.global].Dynamic {
			f.expr(args[1], to(cx.dst))
			f.emit(OpSetDyn, 0, cx.dst, 0)
			f.word(r.global)
			f.done(cx)
			return
		} else if r.kind == refEntry && r.entry.Dynamic() && r.entry.Setting != entry.SettingNS {
			f.setLibrary(r.entry, args[1], cx)
			return
		}
	}
	f.c.failHint(diag.BadForm, form, "use an atom and reset!", "set! works on dynamic vars inside binding only")
}
