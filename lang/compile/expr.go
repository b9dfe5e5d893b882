// This file defines how expressions are compiled.

package compile

import (
	"fmt"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// ret compiles a form whose value is returned.
func (f *fn) ret(form value.Value) { f.expr(form, ctx{dst: f.alloc(1), ret: true}) }

// done ends an expression whose value is in cx.dst.
func (f *fn) done(cx ctx) {
	if cx.ret {
		f.emit(OpReturn, cx.dst, 0, 0)
	}
}

// expr compiles a form. It puts the value into cx.dst, and does not write cx.dst before the form
// has read all its operands. In a returning context the code returns.
func (f *fn) expr(form value.Value, cx ctx) {
	f.c.t.Work(1)
	f.c.depth++
	if f.c.depth > maxNesting {
		f.c.fail(diag.NestingTooDeep, form, "forms nested deeper than %d levels after expansion", maxNesting)
	}
	next, pos := f.next, f.at(form)
	outer := f.c.enter(form)
	switch form.Kind() {
	case value.KindSymbol:
		f.symbol(form, cx)
	case value.KindList, value.KindCons, value.KindChunkedCons, value.KindLazy,
		value.KindVecSeq, value.KindMapSeq:
		f.list(form, cx)
	case value.KindVector, value.KindMapEntry:
		f.vector(form, cx)
	case value.KindArrayMap, value.KindHashMap:
		f.mapForm(form, cx)
	case value.KindHashSet:
		f.setForm(form, cx)
	default:
		f.load(form, cx.dst)
		f.done(cx)
	}
	f.c.leave(outer)
	f.next, f.pos = next, pos
	f.c.depth--
}

// operand returns a register that holds the value of a form: the register of a local, or a new one.
func (f *fn) operand(form value.Value) int {
	if form.IsSymbol() && form.AsSymbol().NS == "" && !f.c.noting() {
		if p, ok := f.find(form.AsSymbol().Name); ok && p.kind == inReg {
			return p.index
		}
	}
	r := f.alloc(1)
	f.expr(form, to(r))
	return r
}

func (f *fn) symbol(form value.Value, cx ctx) {
	s := form.AsSymbol()
	if s.NS == "" {
		if p, ok := f.find(s.Name); ok {
			f.local(s.Name, p, cx)
			return
		}
	}
	r := f.c.lookup(s)
	switch r.kind {
	case refGlobal:
		f.c.note(NodeGlobal, func(n *Node) { n.Global = r.global })
		g := &f.c.env.Globals[r.global]
		f.c.wantPublic(form, s, g)
		if g.Macro {
			f.c.failHint(diag.BadForm, form, macroHint(g.Name), "Can't take value of a macro: #'%s/%s", g.NS, g.Name)
		}
		op := OpGlobal
		if g.Dynamic {
			op = OpDynamic
		}
		f.emitWide(op, cx.dst, r.global)
	case refEntry:
		f.c.note(NodeEntry, func(n *Node) { n.Entry = r.entry })
		if r.entry.Setting == entry.SettingNS && f.c.pre != nil {
			f.load(value.ConstNamespace(f.c.env.NS), cx.dst)
			break
		}
		if r.entry.Dynamic() && f.c.pre == nil {
			f.emitWide(OpDynamic, cx.dst, f.c.env.internDynamic(r.entry.NS, r.entry.Name))
			break
		}
		f.load(f.c.entryValue(form, r.entry), cx.dst)
	case refValue:
		if tool := toolOf(r.value); tool != nil {
			f.c.note(NodeTool, func(n *Node) { n.Tool = tool })
		}
		f.c.mention(form, r)
		f.load(r.value, cx.dst)
	default:
		if isBare(s.Name) && s.NS == "" {
			f.c.failHint(diag.BadForm, form, "it begins a list, as in (try … (catch :default e …) (finally …))",
				"%s is a special form and has no value", s.Name)
		}
		f.meaningless(form, form, nil, cx)
		return
	}
	f.done(cx)
}

// local compiles a read of a local.
func (f *fn) local(name string, p home, cx ctx) {
	f.c.note(NodeLocal, func(n *Node) { n.Local = f.binding(name) })
	switch {
	case p.kind == inAlias:
		f.expr(f.alias(name), cx)
	case p.kind == inReg && cx.ret:
		f.emit(OpReturn, p.index, 0, 0)
	default:
		f.fetch(p, cx.dst)
		f.done(cx)
	}
}

// toolOf returns the tool that a function calls, nil if it calls no tool.
func toolOf(v value.Value) effect.Tool {
	if v.Kind() != value.KindNative {
		return nil
	}
	tool, _ := v.AsNative().Entry.(effect.Tool)
	return tool
}

// wantPublic refuses the private name of another namespace.
func (c *Compiler) wantPublic(form value.Value, s *value.Symbol, g *Global) {
	if g.Private && s.NS != "" && g.NS != c.env.NS {
		c.failHint(diag.BadForm, form, "the var can be used: @#'"+symbolText(s), "var: %s is not public", symbolText(s))
	}
}

// entryValue returns a builtin as a value.
func (c *Compiler) entryValue(form value.Value, e *entry.Entry) value.Value {
	switch {
	case e.Fn != nil:
		return e.Native()
	case e.Source != "":
		return c.preludeFn(e)
	case e.Var:
		return e.Root
	case e.AsFn != "":
		return c.entryValue(form, builtins.Lookup(e.NS, e.AsFn))
	}
	c.failHint(diag.BadForm, form, macroHint(e.Name), "Can't take value of a macro: %s", e.Qualified())
	return value.Nil
}

func macroHint(name string) string {
	return "a macro is called, as in (" + name + " …), and is no value: put the call into a function for map and the like"
}

// constantForm returns the value of a form that needs no evaluation.
func (c *Compiler) constantForm(form value.Value) (value.Value, bool) {
	switch form.Kind() {
	case value.KindSymbol, value.KindCons, value.KindChunkedCons, value.KindLazy,
		value.KindVecSeq, value.KindMapSeq:
		return value.Nil, false
	case value.KindList:
		return form, form.AsCons().Count == 0
	case value.KindVector, value.KindMapEntry, value.KindArrayMap, value.KindHashMap, value.KindHashSet:
		return form, c.allConstant(form)
	}
	return form, true
}

// allConstant reports whether a collection form holds constants only.
func (c *Compiler) allConstant(form value.Value) bool {
	for v := range value.Leaves(form) {
		c.t.Work(1)
		if _, ok := c.constantForm(v); !ok {
			return false
		}
	}
	return true
}

// list compiles a call: of a special form, a macro, or a function.
func (f *fn) list(form value.Value, cx ctx) {
	if form.Kind() == value.KindMapSeq { // its entries are not in memory
		form = f.c.t.List(f.c.t.ToVals(form)...)
	}
	head, args, ok := call(form)
	if !ok {
		f.load(value.EmptyList, cx.dst)
		f.done(cx)
		return
	}
	if head.IsSymbol() && (!f.isLocal(head) || alwaysSpecial(head.AsSymbol())) {
		f.symbolCall(form, head, args, cx)
		return
	}
	if head.IsKeyword() && len(args) == 1 {
		f.keywordCall(head, args[0], cx)
		return
	}
	switch head.Kind() {
	case value.KindInt, value.KindFloat, value.KindString, value.KindBool, value.KindNil, value.KindChar:
		hint := "a list is a call; write '(…) or [...] for data"
		if len(args) > 0 && args[0].IsSymbol() {
			hint = fmt.Sprintf("the function comes first, as in (%s %s …); write '(…) or [...] for data",
				symbolText(args[0].AsSymbol()), value.Show(f.c.t, head))
		}
		f.c.failHint(diag.BadForm, form, hint,
			"can't call %s: it is no function", value.Describe(f.c.t, head))
	}
	f.call(head, args, cx)
}

// symbolCall compiles a call whose head is a symbol that is not a local, or a special form of Clojure.
func (f *fn) symbolCall(form, head value.Value, args []value.Value, cx ctx) {
	s := head.AsSymbol()
	special := specialNamed(s)
	if sp := specialForm(special); sp != nil && (f.c.env.lookup(f.c.env.NS, s.Name) < 0 || alwaysSpecial(s)) {
		f.c.note(NodeSpecial, func(n *Node) { n.Special = special })
		sp(f, form, args, cx)
		return
	}
	host, lack := f.c.hostCall(head, args)
	if lack != nil && host.IsNil() {
		f.lack(lack, head, args, cx)
		return
	}
	if lack != nil {
		f.warnOrRefuse(lack)
	}
	if !host.IsNil() {
		f.c.note(NodeMacro, func(*Node) {})
		f.expr(host, cx)
		return
	}
	r := f.c.lookup(s)
	switch r.kind {
	case refEntry:
		switch {
		case r.entry.Macro != nil:
			f.expr(f.c.expandBuiltin(f, r.entry, form), cx)
		case r.entry.Dynamic():
			f.call(head, args, cx)
		default:
			f.entryCall(r.entry, form, args, cx)
		}
	case refGlobal:
		f.c.wantPublic(head, s, &f.c.env.Globals[r.global])
		if f.c.env.Globals[r.global].Macro {
			f.expr(f.c.expandUser(f, r.global, form, args), cx)
			return
		}
		f.globalCall(r.global, form, args, cx)
	case refValue:
		if s.NS != "" && len(args) == 0 && s.NS != builtins.ToolNS { // a field of a class: (Long/MAX_VALUE)
			f.load(r.value, cx.dst)
			f.done(cx)
			return
		}
		f.call(head, args, cx)
	default:
		f.meaningless(head, form, args, cx)
	}
}

// args puts the values of forms into the registers after base.
func (f *fn) args(base int, forms []value.Value) {
	r := f.alloc(len(forms))
	if r != base+1 {
		panic("compile: arguments not after the callee")
	}
	for i, form := range forms {
		f.expr(form, to(r+i))
	}
}

// call compiles a call of any value.
func (f *fn) call(head value.Value, args []value.Value, cx ctx) {
	base := f.alloc(1)
	f.c.note(NodeCall, func(*Node) {})
	if head.IsSymbol() && f.self != "" && !f.c.noting() && head.AsSymbol().NS == "" && head.AsSymbol().Name == f.self {
		if p, _ := f.find(f.self); p.kind == inSelf {
			f.args(base, args)
			f.emit(OpCallS, base, len(args), cx.dst)
			f.word(0)
			f.done(cx)
			return
		}
	}
	f.expr(head, to(base))
	f.args(base, args)
	f.emit(OpCall, base, len(args), cx.dst)
	f.word(0)
	f.done(cx)
}

func (f *fn) globalCall(global int, form value.Value, args []value.Value, cx ctx) {
	f.c.note(NodeCall, func(n *Node) { n.Global = global })
	g := &f.c.env.Globals[global]
	if g.Arities != nil && g.Arities.For(len(args)) == nil {
		f.c.badArity(f.c.errorAt(diag.BadArity, form, "Wrong number of args (%d) passed to: %s/%s", len(args), g.NS, g.Name).
			WithHint("%s takes %s", g.Name, g.Arities.Describe()))
	}
	base := f.alloc(1)
	if g.Dynamic {
		f.emitWide(OpDynamic, base, global)
		f.args(base, args)
		f.emit(OpCall, base, len(args), cx.dst)
		f.word(0)
		f.done(cx)
		return
	}
	f.args(base, args)
	f.emit(OpCallG, base, len(args), cx.dst)
	f.word(global)
	f.done(cx)
}

// callValue compiles a call of a constant.
func (f *fn) callValue(callee value.Value, args []value.Value, cx ctx) {
	base := f.alloc(1)
	f.load(callee, base)
	f.args(base, args)
	f.emit(OpCall, base, len(args), cx.dst)
	f.word(0)
	f.done(cx)
}

// expectingForm compiles the body of a test that expects an exception. A wrong number of arguments in it is no error of
// the compiler, but throws when the test runs.
func expectingForm(f *fn, _ value.Value, args []value.Value, cx ctx) {
	f.c.expects++
	defer func() { f.c.expects-- }()
	f.body(args, cx)
}

func (f *fn) keywordCall(key, arg value.Value, cx ctx) {
	f.c.note(NodeKeyCall, func(*Node) {})
	r := f.operand(arg)
	f.emit(OpGetK, cx.dst, r, f.constant(key))
	f.done(cx)
}

// entryCall compiles a call of a builtin.
func (f *fn) entryCall(e *entry.Entry, form value.Value, args []value.Value, cx ctx) {
	if f.c.env.Unchecked && e.NS == CoreNS && f.c.pre == nil {
		if call, ok := f.c.unchecked(e, form, args); ok {
			f.expr(call, cx)
			return
		}
	}
	f.c.note(NodeCall, func(n *Node) { n.Entry = e })
	switch {
	case e.Interns:
		f.c.noteIntern(args)
	case e.NS == CoreNS && e.Name == VarChanger:
		f.c.noteChange(args)
	}
	if !e.Takes(len(args)) {
		err := f.c.errorAt(diag.BadArity, form, "Wrong number of args (%d) passed to: %s", len(args), e.Qualified()).
			WithHint("%s", e.ArityHint())
		if f.c.badArity(err) {
			f.callValue(f.c.entryValue(form, e), args, cx)
			return
		}
	}
	if tools := f.c.env.Tools; e.Clock && len(args) == 0 && tools.Named(builtins.ClockTool) == nil {
		f.c.report(f.c.errorAt(diag.NotGranted, form, builtins.ClockNotGranted).WithHint("%s",
			tools.HowToGrant(builtins.ClockTool)))
	}
	// The function + as a value checks overflow, so unchecked arithmetic is not fused.
	if e.NS == CoreNS && f.c.pre == nil && !f.c.noting() && !f.c.env.Unfused && !f.c.env.Unchecked {
		if fused, ok := f.fuse(e.Fusion, args); ok {
			f.expr(fused, cx)
			return
		}
	}
	if e.NS == CoreNS && !f.c.noting() {
		if in := instruction(e.Intrinsic); in != nil && in(f, args, cx) {
			f.done(cx)
			return
		}
	}
	base := f.alloc(1)
	if e.Method && e.Fn != nil {
		f.load(f.c.t.Keyword("", e.Name), base)
		f.args(base, args)
		f.emit(OpMethodN, base, len(args), cx.dst)
		f.word(f.native(e, len(args)))
		f.done(cx)
		return
	}
	f.args(base, args)
	f.callEntry(e, base, len(args), cx.dst)
	f.done(cx)
}

// nativeCall is a builtin that is called with n arguments.
type nativeCall struct {
	entry *entry.Entry
	n     int
}

// callEntry emits the call of a builtin on n arguments after base.
func (f *fn) callEntry(e *entry.Entry, base, n, dst int) {
	if e.Fn == nil {
		f.uses(e)
		f.emit(OpCallK, base, n, dst)
		f.word(f.constant(f.c.preludeFn(e)))
		return
	}
	f.emit(OpCallN, base, n, dst)
	f.word(f.native(e, n))
}

// uses notes that the code calls a builtin.
func (f *fn) uses(e *entry.Entry) {
	f.least = min(f.least, purityOfEntry(e))
	f.proto.Reaches = f.proto.Reaches || e.Reaches()
}

// native returns the number of a builtin written in Go, for calls with n arguments.
func (f *fn) native(e *entry.Entry, n int) int {
	f.uses(e)
	key := nativeCall{e, n}
	i, ok := f.natives[key]
	if !ok {
		i = len(f.proto.Natives)
		f.proto.Natives = append(f.proto.Natives, e.Exact(n))
		f.proto.Callees = append(f.proto.Callees, e.Name)
		f.natives[key] = i
	}
	return i
}
