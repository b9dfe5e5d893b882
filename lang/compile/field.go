// This file defines how the methods of a deftype reach its mutable fields.

package compile

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/value"
)

// fieldsForm compiles (%fields this [name …] body…): in body the names are the fields of this,
// which each use reads and set! changes.
func fieldsForm(f *fn, _ value.Value, args []value.Value, cx ctx) {
	scope := len(f.locals)
	for _, name := range value.Items(args[1]) {
		text := name.AsSymbol().Name
		get := f.c.callForm(name, CoreNS, "%field-named", []value.Value{args[0], f.c.t.Keyword("", text)})
		f.locals = append(f.locals, local{name: text, home: home{kind: inAlias}, alias: get})
	}
	f.body(args[2:], ctx{dst: cx.dst, ret: cx.ret, rec: cx.rec})
	f.locals = f.locals[:scope]
}

// fieldOf returns the object and the key of a field that set! changes: a name bound by %fields, or
// (.-field object).
func (f *fn) fieldOf(form value.Value) ([]value.Value, bool) {
	if form.IsSymbol() && form.AsSymbol().NS == "" {
		if p, ok := f.find(form.AsSymbol().Name); ok && p.kind == inAlias {
			_, args, _ := call(f.alias(form.AsSymbol().Name))
			return args, true
		}
	}
	head, args, ok := call(form)
	if ok && len(args) == 1 && head.IsSymbol() && strings.HasPrefix(head.AsSymbol().Name, ".-") {
		return []value.Value{args[0], f.c.t.Keyword("", head.AsSymbol().Name[2:])}, true
	}
	return nil, false
}
