// This file defines set! of the library's dynamic vars, and what those change that tell the compiler what to do.

package compile

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// setLibrary compiles (set! *name* x) for a dynamic var of the library. A form of the program, not a function, that
// sets *unchecked-math* or *assert* to a constant also changes how what follows is compiled.
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

// unchecked returns the call that Clojure compiles a call of a function to while *unchecked-math* is true: of more
// than two numbers one of two at a time, from the left. ok is false if it compiles to the call itself.
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
