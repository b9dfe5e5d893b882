// This file defines the forms of record literals: #ns.Name{…} and #ns.Name[…] denote a record, also inside
// of another one and after a quote.

package parser

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/value"
)

// record returns the call that builds the record of a literal from unevaluated values.
func (r *reader) record(class string, form value.Value) value.Value {
	at := strings.LastIndexByte(class, '.')
	ns, name := strings.ReplaceAll(class[:at], "_", "-"), class[at+1:]
	var v value.Value
	if form.Is(value.Maps) {
		v = r.t.List(r.t.Symbol(ns, "map->"+name), r.unevaluated(form))
	} else {
		items := []value.Value{r.t.Symbol(ns, "->"+name)}
		for _, x := range value.Items(form) {
			items = append(items, r.unevaluated(x))
		}
		v = r.t.List(items...)
	}
	if r.records == nil {
		r.records = make(map[value.Value]bool)
	}
	r.records[v] = true
	return v
}

// unevaluated returns the form of an unevaluated value.
func (r *reader) unevaluated(form value.Value) value.Value {
	if v, ok := r.constant(form); ok {
		return v
	}
	return r.t.List(symQuote, form)
}

// constant returns a form that builds an unevaluated value in which there are records. ok is false if there are none.
func (r *reader) constant(form value.Value) (v value.Value, ok bool) {
	if r.records == nil || r.records[form] {
		return form, r.records != nil
	}
	var parts []value.Value
	maker := "list"
	switch items, list := value.FormItems(form); {
	case form.Is(value.Maps):
		maker = "hash-map"
		for it := value.NewMapIter(form); it.Next(); {
			parts = append(parts, it.Key, it.Val)
		}
	case form.Is(value.Sets):
		maker = "hash-set"
		for it := value.NewMapIter(form); it.Next(); {
			parts = append(parts, it.Key)
		}
	case !list:
		return value.Nil, false
	default:
		parts = append(parts, items...)
		if form.Is(value.Vectors) {
			maker = "vector"
		}
	}
	out := []value.Value{r.t.Symbol("clojure.core", maker)}
	for _, part := range parts {
		r.t.Work(1)
		x, has := r.constant(part)
		if !has {
			x = r.t.List(symQuote, part)
		}
		ok = ok || has
		out = append(out, x)
	}
	if !ok {
		return value.Nil, false
	}
	return r.t.List(out...), true
}
