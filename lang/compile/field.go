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
// (.-field object), (.field object) or (. object field).
func (f *fn) fieldOf(form value.Value) ([]value.Value, bool) {
	if form.IsSymbol() && form.AsSymbol().NS == "" {
		if p, ok := f.find(form.AsSymbol().Name); ok && p.kind == inAlias {
			_, args, _ := call(f.alias(form.AsSymbol().Name))
			return args, true
		}
	}
	head, args, ok := call(form)
	if !ok || !head.IsSymbol() || head.AsSymbol().NS != "" {
		return nil, false
	}
	name, isMember := strings.CutPrefix(head.AsSymbol().Name, ".")
	switch {
	case !isMember || name == ".":
		return nil, false
	case name == "" && len(args) == 2 && args[1].IsSymbol():
		name = args[1].AsSymbol().Name
	case name == "" || len(args) != 1:
		return nil, false
	}
	return []value.Value{args[0], f.c.t.Keyword("", strings.TrimPrefix(name, "-"))}, true
}
