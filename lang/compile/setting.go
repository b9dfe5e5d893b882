// This file defines set! of the library's dynamic vars, and the effect of those that control the
// compiler.

package compile

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// setLibrary compiles (set! *name* x) for a dynamic var of the library. A form of the program, not
// a function, that sets *unchecked-math* or *assert* to a constant also changes the compilation of
// the forms that follow.
func (f *fn) setLibrary(e *entry.Entry, x value.Value, cx ctx) {
	global := f.c.env.internDynamic(e.NS, e.Name)
	f.expr(x, to(cx.dst))
	f.emit(OpSetDyn, 0, cx.dst, 0)
	f.word(global)
	f.done(cx)
	if f.parent != nil || !x.Is(compilerSettings) {
		return
	}
	switch e.Setting {
	case entry.SettingUnchecked:
		f.c.env.Unchecked = x.Truthy()
	case entry.SettingAssert:
		f.c.env.NoAssert = !x.Truthy()
	}
}

// compilerSettings are the kinds of constants that those vars are set to: true, false, nil, :warn-on-boxed.
var compilerSettings = value.Kinds(value.KindBool, value.KindNil, value.KindKeyword)

// unchecked returns the call to which Clojure compiles a call of a function while *unchecked-math*
// is true. A call with more than two numbers becomes calls with two, from the left. ok is false if
// Clojure compiles the call unchanged.
func (c *Compiler) unchecked(e *entry.Entry, form value.Value, args []value.Value) (call value.Value, ok bool) {
	unary, binary, _ := strings.Cut(e.Unchecked, "|")
	switch n := len(args); {
	case n == 1 && unary != "":
		return c.callForm(form, CoreNS, unary, args), true
	case n < 2 || binary == "":
		return value.Nil, false
	}
	call = args[0]
	for _, x := range args[1:] {
		call = c.callForm(form, CoreNS, binary, []value.Value{call, x})
	}
	return call, true
}
