// Package compile turns forms into code for the machine.
//
// It expands macros, resolves every name, checks the arity of calls to known
// functions and the place of each recur, and generates code for a register
// machine in one pass: each function has a window of registers, a let binding
// gets the next free one, and expressions are compiled towards the register in
// which their value is wanted. Errors are collected, so that several are reported together, and all of them
// before anything runs.
package compile

import (
	"fmt"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// maxErrors is the maximum number of errors that a compilation reports.
const maxErrors = 10

// maxNesting bounds the nesting of forms after expansion, because the compiler
// uses the Go stack: about 1 KB a level.
const maxNesting = 10_000

// Expander runs the macros that a program defines. The machine implements it.
type Expander interface {
	// Define records a compiled top-level form that defines something, for macros to use when they run.
	Define(p *Proto)
	// Expand calls the macro bound to a global.
	Expand(global int, args []value.Value) (value.Value, *diag.Error)
}

// Compiler compiles the forms of one program or session.
type Compiler struct {
	t        *value.Task
	env      *Env
	files    *token.FileSet
	expander Expander
	errs     []*diag.Error
	deferred []*diag.Error // of names that PTC does not have, see Deferred
	pre      *preludeCompiler
	depth    int
	gensyms  int
	expects  int                    // depth of tests that expect an exception, in which calls may be wrong
	late     bool                   // see DeferArity
	consts   map[string]value.Value // keywords and strings, so that equal ones are identical
	most     int                    // maximum number of errors that are reported
	root     *Node                  // of the tree; nil if none is noted, see Note
	node     *Node                  // of the form under compilation
}

// New makes a compiler that allocates through t and defines names in env.
func New(t *value.Task, env *Env, files *token.FileSet, x Expander) *Compiler {
	return &Compiler{t: t, env: env, files: files, expander: x, consts: make(map[string]value.Value), most: maxErrors}
}

// DeferArity makes a call with a wrong number of arguments an exception when the call is evaluated, as in Clojure, and
// an error in Deferred. A program of several files has code that its author did not write, and may never call.
func (c *Compiler) DeferArity() { c.late = true }

// badArity reports a call with a wrong number of arguments. It returns true if the call must be compiled nevertheless.
func (c *Compiler) badArity(err *diag.Error) (throws bool) {
	switch {
	case c.expects > 0:
		return true
	case c.late:
		c.deferred = append(c.deferred, err)
		return true
	}
	c.report(err)
	return false
}

// failure unwinds one top-level form that cannot be compiled.
type failure struct{ err *diag.Error }

// Forms compiles top-level forms in order. Malformed forms are omitted; Err returns their errors.
func (c *Compiler) Forms(forms []value.Value) []*Proto {
	var protos []*Proto
	for _, form := range forms {
		if c.Full() {
			break
		}
		c.depth = 0
		protos = append(protos, c.top(form)...)
	}
	return protos
}

// Full reports whether the maximum number of errors has been found, so that nothing more is
// compiled.
func (c *Compiler) Full() bool { return len(c.errs) >= c.most }

// Err returns the errors found, nil if there are none.
func (c *Compiler) Err() *diag.Error {
	if len(c.errs) == 0 {
		return nil
	}
	all := c.advised()
	all[0].Others = all[1:]
	return all[0]
}

// top compiles one top-level form. It compiles a do at the top form by form, because its first
// forms may define macros that the others use.
func (c *Compiler) top(form value.Value) (protos []*Proto) {
	around := c.node
	defer func() { c.leave(around) }()
	if err := c.attempt(form, func() { protos = c.expandedTop(form) }); err != nil {
		c.errs = append(c.errs, err)
		if around != nil {
			around.Subs = around.Subs[:len(around.Subs)-1]
		}
	}
	return protos
}

// attempt calls do, which compiles form, and returns the error of a malformed form.
func (c *Compiler) attempt(form value.Value, do func()) (err *diag.Error) {
	defer func() {
		if r := recover(); r != nil {
			err = c.recovered(r, form)
		}
	}()
	do()
	return nil
}

// expandedTop expands a top-level form and compiles the expansion.
func (c *Compiler) expandedTop(form value.Value) (protos []*Proto) {
	c.enter(form)
	outer := c.depth
	defer func() { c.depth = outer }()
	c.depth++
	if c.depth > maxNesting {
		c.fail(diag.MacroTooDeep, form, "forms nested deeper than %d levels after expansion", maxNesting)
	}
	if outer == 0 {
		c.checkNames(form)
	}
	form = c.macroexpandTop(form)
	if head, rest, ok := call(form); ok && c.isSpecial(nil, head, entry.SpecialDo) {
		c.note(NodeSpecial, func(n *Node) { n.Special = entry.SpecialDo })
		for _, sub := range rest {
			if !c.Full() {
				protos = append(protos, c.top(sub)...)
			}
		}
		return protos
	}
	f := c.newFn(nil, "")
	f.ret(form)
	p := f.finish()
	p.Start, p.NS, p.EntersNS = posOf(form), c.env.NS, f.entersNS
	for i := 0; p.Start == 0 && i < len(p.Pos); i++ { // a literal has no place
		p.Start = p.Pos[i]
	}
	if c.expander != nil && (c.defines(form) || c.inLibrary(p.Start)) {
		c.expander.Define(p)
	}
	return []*Proto{p}
}

// Failure returns the error with which a compilation unwound, nil for any other panic.
func Failure(r any) *diag.Error {
	if f, ok := r.(failure); ok {
		return f.err
	}
	return nil
}

// recovered returns the error with which the compilation of a form unwound.
func (c *Compiler) recovered(r any, form value.Value) *diag.Error {
	switch r := r.(type) {
	case failure:
		return r.err
	case value.Thrown:
		err := value.ErrorOf(c.t, r.Exception)
		err.Span = c.span(form)
		return err
	}
	panic(r)
}

// defines reports whether a form defines names, so that macros may depend on it.
func (c *Compiler) defines(form value.Value) bool {
	head, args, ok := call(form)
	if !ok || !head.IsSymbol() {
		return false
	}
	if r := c.lookup(head.AsSymbol()); r.kind == refEntry && !r.entry.IsForm() &&
		(r.entry.Defines() || r.entry.Name == "%add-method" || r.entry.Name == "derive") {
		return true
	}
	switch specialNamed(head.AsSymbol()) {
	case entry.SpecialIf: // of defonce and defmulti
		return len(args) == 3 && args[1].IsNil() && c.defines(args[2])
	case entry.SpecialDef, entry.SpecialDefmacro, entry.SpecialDeclare,
		entry.SpecialLet: // around definitions that share locals
		return true
	case entry.SpecialSet: // of what the reader of the next forms takes
		return len(args) == 2 && args[0].IsSymbol() && args[0].AsSymbol().Name == "*data-readers*"
	}
	return false
}

// inLibrary reports whether a place is in a file before the last one of a program. Macros see the effects of all forms
// of such a file, such as entries that it adds to a registry. The last file is the program itself, whose work is not to
// be done twice.
func (c *Compiler) inLibrary(at token.Pos) bool {
	files := c.files.Files()
	return c.late && at != 0 && !files[len(files)-1].Contains(at)
}

// call splits a list into its head and its arguments.
func call(form value.Value) (head value.Value, args []value.Value, ok bool) {
	items, ok := listItems(form)
	if !ok || len(items) == 0 {
		return value.Nil, nil, false
	}
	return items[0], items[1:], true
}

// listItems returns the items of a list form.
func listItems(form value.Value) ([]value.Value, bool) {
	if !form.Is(value.ListForms) { // forms that were read, or that a macro built
		return nil, false
	}
	items, ok := value.RealisedItems(form)
	return items, ok
}

// fail reports an error at a form and abandons the top-level form.
func (c *Compiler) fail(code diag.Code, at value.Value, format string, args ...any) {
	panic(failure{c.errorAt(code, at, format, args...)})
}

// failThrown is fail for a form that Clojure runs: its error is an exception of a class, also when eval compiles it.
func (c *Compiler) failThrown(code diag.Code, at value.Value, hint, format string, args ...any) {
	e := c.errorAt(code, at, format, args...)
	e.Class, e.Hint = "java.lang.Exception", hint
	panic(failure{e})
}

func (c *Compiler) failHint(code diag.Code, at value.Value, hint, format string, args ...any) {
	e := c.errorAt(code, at, format, args...)
	e.Hint = hint
	panic(failure{e})
}

// Report notes an error that the reader found.
func (c *Compiler) Report(e *diag.Error) { c.report(e) }

// report records an error and lets the compilation continue.
func (c *Compiler) report(e *diag.Error) {
	if !c.Full() {
		c.errs = append(c.errs, e)
	}
}

func (c *Compiler) errorAt(code diag.Code, at value.Value, format string, args ...any) *diag.Error {
	return diag.New(code, c.span(at), format, args...)
}

// span returns the place of a form: of the whole symbol, or of the list's opening.
func (c *Compiler) span(form value.Value) token.Span {
	s := c.files.Span(posOf(form))
	if form.IsSymbol() && s.File != nil {
		s.End = s.Start + len(symbolText(form.AsSymbol()))
	}
	return s
}

// posOf returns the position of a form, 0 if it has none.
func posOf(form value.Value) token.Pos {
	switch form.Kind() {
	case value.KindSymbol:
		return form.AsSymbol().Pos
	case value.KindList, value.KindCons:
		if p := form.AsCons().Pos; p != 0 {
			return p
		}
		if form.AsCons().First.IsSymbol() {
			return form.AsCons().First.AsSymbol().Pos
		}
	}
	return 0
}

func symbolText(s *value.Symbol) string {
	if s.NS != "" {
		return s.NS + "/" + s.Name
	}
	return s.Name
}

// gensym makes a symbol that no program can write.
func (c *Compiler) gensym(prefix string) value.Value {
	c.gensyms++
	return c.t.Symbol("", fmt.Sprintf("%s__%d", prefix, c.gensyms))
}

// intern returns one value for equal keywords and strings of a compilation.
func (c *Compiler) intern(v value.Value) value.Value {
	var key string
	switch v.Kind() {
	case value.KindKeyword:
		k := v.AsKeyword()
		key = ":" + k.NS + "/" + k.Name
	case value.KindString:
		key = v.AsString().S
		if len(key) > 64 {
			return v
		}
		key = `"` + key
	default:
		return v
	}
	if have, ok := c.consts[key]; ok {
		return have
	}
	c.consts[key] = v
	return v
}

// expansion returns the context of a builtin macro.
func (c *Compiler) expansion(f *fn) *expand.Expansion {
	return &expand.Expansion{
		T:      c.t,
		NS:     c.env.NS,
		Gensym: c.gensym,

		NoAssert: c.env.NoAssert,
		Fail: func(at value.Value, format string, args ...any) {
			c.fail(diag.BadForm, at, format, args...)
		},
		IsLocal:   func(sym value.Value) bool { return f != nil && f.isLocal(sym) },
		Resolve:   func(sym value.Value) value.Value { return c.qualify(sym) },
		IsMacro:   c.isMacro,
		IsDefined: func(sym value.Value) bool { return c.env.lookup(c.env.NS, sym.AsSymbol().Name) >= 0 },
		Place:     c.place,
		Method:    c.env.addMethod,

		MacroNamed: c.macroNamed,
	}
}

// isMacro reports whether a symbol that is not a local names a macro or special form.
func (c *Compiler) isMacro(sym value.Value) bool {
	s := sym.AsSymbol()
	if e := coreEntry(s); e != nil && e.IsForm() {
		return true
	}
	r := c.lookup(s)
	return r.kind == refEntry && r.entry.Macro != nil || r.kind == refGlobal && c.env.Globals[r.global].Macro
}

// macroNamed returns the symbol of a macro of the program by its name, in any namespace. If there are
// several, it is the last.
func (c *Compiler) macroNamed(name string) (sym value.Value, ok bool) {
	for i := len(c.env.Globals) - 1; i >= 0; i-- {
		if g := &c.env.Globals[i]; g.Macro && g.Name == name {
			return c.t.Symbol(g.NS, g.Name), true
		}
	}
	return value.Nil, false
}

// place returns the place of a form for people: "file:line".
func (c *Compiler) place(at value.Value) string {
	span := c.span(at)
	if span.IsZero() {
		return "-"
	}
	line, _ := span.File.LineCol(span.Start)
	return fmt.Sprintf("%s:%d", span.File.Name, line)
}
