// This file finds the purity of a function in a pipeline before the function is compiled.

package compile

import (
	"maps"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// coreCall expands the macros of a form and splits a call of a name of clojure.core. e is nil for
// any other form.
func (f *fn) coreCall(form value.Value) (expanded value.Value, e *entry.Entry, args []value.Value) {
	for again := true; again; {
		form, again = f.c.expand1(f, form)
	}
	head, args, ok := call(form)
	if !ok || !head.IsSymbol() || f.isLocal(head) || !f.isCore(head) {
		return form, nil, nil
	}
	return form, builtins.Core(head.AsSymbol().Name), args
}

// entryOf returns the builtin function that a symbol names, nil if it names none.
func (f *fn) entryOf(sym value.Value) *entry.Entry {
	if f.isLocal(sym) {
		return nil
	}
	if r := f.c.lookup(sym.AsSymbol()); r.kind == refEntry && (r.entry.Fn != nil || r.entry.Source != "") {
		return r.entry
	}
	return nil
}

// entryTaking returns the builtin that a symbol names, if it can be called with n
// arguments.
func (f *fn) entryTaking(sym value.Value, n int) *entry.Entry {
	if e := f.entryOf(sym); e != nil && e.Takes(n) {
		return e
	}
	return nil
}

// globalFn returns the function that a symbol of the program names, nil if the function is not
// known or does not take n arguments.
func (f *fn) globalFn(sym value.Value, n int) *Fn {
	if f.isLocal(sym) {
		return nil
	}
	r := f.c.lookup(sym.AsSymbol())
	if r.kind != refGlobal {
		return nil
	}
	if g := &f.c.env.Globals[r.global]; !g.Dynamic && !g.Macro && g.Arities != nil && g.Arities.For(n) != nil {
		return g.Arities
	}
	return nil
}

// purityOf returns the purity of calls with n arguments of the function that a form evaluates to.
// It does not include the evaluation of the form.
func (f *fn) purityOf(form value.Value, n int) entry.Purity {
	if form.IsKeyword() {
		return entry.Reads // a transient, or an object with a method for it
	}
	if form.IsSymbol() {
		if fn := f.globalFn(form, n); fn != nil {
			return min(entry.Purity(fn.Purity), entry.Pure) // the name may have another value later
		}
		return purityOfEntry(f.entryTaking(form, n))
	}
	_, e, args := f.coreCall(form)
	if e == nil || e.Special != entry.SpecialFn || len(args) == 0 || !inlinable(args) || value.VecCount(args[0]) != n {
		return entry.Impure
	}
	names := make(map[string]bool)
	for _, p := range value.Items(args[0]) {
		names[p.AsSymbol().Name] = true
	}
	return f.purityOfAll(args[1:], names)
}

// purityOfAll returns the purity of the evaluation of forms, one after the other. bound
// are the names that are local to the function.
func (f *fn) purityOfAll(forms []value.Value, bound map[string]bool) entry.Purity {
	purity := entry.Total
	for _, form := range forms {
		if purity = min(purity, f.purityOfForm(form, bound)); purity == entry.Impure {
			break
		}
	}
	return purity
}

// purityOfForm returns the purity of the evaluation of a form. It knows constants, names, special
// forms that only evaluate their parts, and calls of builtins.
func (f *fn) purityOfForm(form value.Value, bound map[string]bool) entry.Purity {
	f.c.t.Work(1)
	if _, ok := f.c.constantForm(form); ok {
		return entry.Total
	}
	head, args, ok := call(form)
	switch {
	case form.IsSymbol():
		if bound[form.AsSymbol().Name] || f.isLocal(form) {
			return entry.Total
		}
		return entry.Reads // the value of a name of the program may change
	case !ok:
		return min(literalPurity(form), f.purityOfLeaves(form, bound))
	case head.IsKeyword():
		return min(entry.Reads, f.purityOfAll(args, bound))
	case !head.IsSymbol() || bound[head.AsSymbol().Name] || f.isLocal(head):
		return entry.Impure
	}
	if isForm(head.AsSymbol()) && f.isCore(head) {
		return f.purityOfSpecial(builtins.Core(head.AsSymbol().Name), args, bound)
	}
	r := f.c.lookup(head.AsSymbol())
	switch {
	case r.kind != refEntry:
	case r.entry.Macro != nil:
		return f.purityOfForm(f.c.expandBuiltin(f, r.entry, form), bound)
	case r.entry.Takes(len(args)) && purityOfEntry(r.entry) != entry.Impure:
		return min(purityOfEntry(r.entry), f.purityOfAll(args, bound))
	}
	return entry.Impure
}

// purityOfEntry returns the purity of the calls of a builtin with any arguments, Impure if e is
// nil. A call that realises a sequence stays pure, because the loop is left for it. A call that
// only makes a sequence whose function is called later would leave the loop each time, so it counts
// as impure.
func purityOfEntry(e *entry.Entry) entry.Purity {
	switch {
	case e == nil || e.Calls.When != entry.CallsNone || e.Purity < entry.Realises:
		return entry.Impure
	case e.Purity == entry.Realises:
		return entry.Reads
	}
	return e.Purity
}

// purityOfSpecial returns the purity of a special form. A special form whose entry has a purity only
// evaluates its parts.
func (f *fn) purityOfSpecial(e *entry.Entry, args []value.Value, bound map[string]bool) entry.Purity {
	switch e.Special {
	case entry.SpecialQuote:
		return entry.Total
	case entry.SpecialLet:
		return f.purityOfLet(args, bound)
	}
	if purityOfEntry(e) == entry.Impure {
		return entry.Impure
	}
	return min(purityOfEntry(e), f.purityOfAll(args, bound))
}

func (f *fn) purityOfLet(args []value.Value, bound map[string]bool) entry.Purity {
	if len(args) == 0 || !args[0].Is(value.Vectors) || value.VecCount(args[0])%2 != 0 {
		return entry.Impure
	}
	bound = maps.Clone(bound)
	purity := entry.Total
	items := value.Items(args[0])
	for i := 0; i < len(items); i += 2 {
		purity = min(purity, f.purityOfForm(items[i+1], bound))
		if !items[i].IsSymbol() {
			return entry.Impure
		}
		bound[items[i].AsSymbol().Name] = true
	}
	return min(purity, f.purityOfAll(args[1:], bound))
}

// literalPurity returns the purity of making a collection from a literal. Maps and sets may fail, because
// of a duplicate key.
func literalPurity(form value.Value) entry.Purity {
	if form.Is(value.Vectors) {
		return entry.Total
	}
	return entry.Pure
}

func (f *fn) purityOfLeaves(form value.Value, bound map[string]bool) entry.Purity {
	purity := entry.Total
	for x := range value.Leaves(form) {
		purity = min(purity, f.purityOfForm(x, bound))
	}
	return purity
}

// purity returns the purity of a function by its code: its instructions, and the builtins that it
// calls.
func (f *fn) purity() entry.Purity {
	purity := f.least
	if len(f.proto.Handlers) > 0 {
		return entry.Impure
	}
	for pc := 0; pc < len(f.proto.Code) && purity > entry.Impure; {
		purity = min(purity, purityOfOp(f.proto.Code[pc].Op()))
		pc += f.proto.operandsAt(pc).size
	}
	return purity
}

// purityOfOp returns the purity of an instruction. Instructions that call builtins count as total
// here, because callEntry records the builtins.
func purityOfOp(op Op) entry.Purity {
	switch op {
	case OpNop, OpMove, OpShare, OpReturnShare, OpAssoc, OpAssocLast, OpPush,
		OpConst, OpNil, OpInt, OpUp, OpSelf, OpNot, OpIsNil, OpSame,
		OpJump, OpLoop, OpJTrue, OpJFalse, OpJNil, OpJNotNil, OpCallN, OpMethod, OpMethodN, OpTest, OpCallK,
		OpReturn, OpClosure, OpVector, OpVectorIn:
		return entry.Total
	case OpAdd, OpSub, OpMul, OpDiv, OpDivDouble, OpQuot, OpRem, OpMod, OpAddI, OpLt, OpLe, OpNumEq,
		OpJLt, OpJNLt, OpJLe, OpJNLe, OpJLtK, OpJNLtK, OpJLeK, OpJNLeK, OpJGtK, OpJNGtK, OpJGeK, OpJNGeK,
		OpMap, OpSet, OpThrow:
		return entry.Pure
	case OpGlobal, OpDynamic, OpEq, OpJEq, OpJNEq, OpJEqK, OpJNEqK, OpGet, OpGetK, OpNth, OpNthOr, OpNthK, OpCons, OpCell,
		OpSeq, OpFirst, OpNext, OpRest:
		return entry.Reads
	}
	return entry.Impure
}
