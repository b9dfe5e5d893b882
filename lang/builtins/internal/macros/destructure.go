// This file defines destructuring: how a binding of a pattern becomes bindings
// of plain names.

package macros

import (
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

// maxPattern bounds the nesting of patterns, which are followed on the Go stack.
const maxPattern = 500

// destructurer collects plain bindings, name and expression alternately.
type destructurer struct {
	x     *expand.Expansion
	macro string
	at    value.Value // the form to name in an error
	out   []value.Value
	depth int
}

// destructure returns the plain bindings for bindings with patterns. own is as for bind.
func destructure(x *expand.Expansion, macro string, at value.Value, bindings []value.Value, own bool) []value.Value {
	d := &destructurer{x: x, macro: macro, at: at}
	for i := 0; i < len(bindings); i += 2 {
		d.bind(bindings[i], bindings[i+1], own)
	}
	return d.out
}

// isPattern reports whether a binding form needs destructuring.
func isPattern(form value.Value) bool { return !form.IsSymbol() }

func (d *destructurer) add(name, expr value.Value) { d.out = append(d.out, name, expr) }

// bind adds the bindings of a pattern to the value of an expression. own means that the expression
// is a symbol of the expansion that no pattern binds, so that it can be read again.
func (d *destructurer) bind(pattern, expr value.Value, own bool) {
	d.depth++
	if d.depth > maxPattern {
		d.x.Fail(d.at, "%s: patterns nested deeper than %d levels", d.macro, maxPattern)
	}
	switch {
	case pattern.IsSymbol():
		d.name(pattern)
		d.add(pattern, expr)
	case expand.IsVector(pattern):
		d.sequential(pattern, expr, own)
	case expand.IsMap(pattern):
		d.associative(pattern, expr)
	default:
		d.x.Fail(d.at, "%s: Unsupported binding form: got %s, want a symbol, a vector or a map",
			d.macro, value.Describe(d.x.T, pattern))
	}
	d.depth--
}

func (d *destructurer) name(sym value.Value) {
	s := sym.AsSymbol()
	if s.NS != "" {
		d.x.Fail(sym, "%s: can't bind the qualified name %s/%s, want a symbol without a namespace", d.macro, s.NS, s.Name)
	}
	if s.Name == "&" {
		d.x.Fail(sym, "%s: & is not a name; it stands before the pattern for the rest of a sequence", d.macro)
	}
}

// sequential destructures by position. Without a rest it reads the elements by nth. With a rest it
// walks the sequence, and realises it only up to the end of the pattern.
func (d *destructurer) sequential(pattern, expr value.Value, own bool) {
	x := d.x
	items, rest, as := d.split(value.Items(pattern))
	vec := expr
	if !own {
		vec = x.Gensym("vec")
		d.add(vec, expr)
	}
	if rest.IsNil() {
		for i, p := range items {
			d.bind(p, x.List(p, fnNth, vec, value.Int(int64(i)), value.Nil), false)
		}
	} else {
		seq, first := x.Gensym("seq"), x.Gensym("first")
		d.add(seq, x.List(pattern, fnSeq, vec))
		for _, p := range items {
			d.add(first, x.List(p, fnFirst, seq))
			d.add(seq, x.List(p, fnNext, seq))
			d.bind(p, first, true)
		}
		d.bind(rest, seq, true)
	}
	if !as.IsNil() {
		d.bind(as, vec, true)
	}
}

// split returns the parts of a sequential pattern: its items, the pattern after & and the one after
// :as, each nil if there is none.
func (d *destructurer) split(pattern []value.Value) (items []value.Value, rest, as value.Value) {
	for i := 0; i < len(pattern); i++ {
		switch p := pattern[i]; {
		case expand.IsNamed(p, "&"):
			if i+1 == len(pattern) || !rest.IsNil() {
				d.x.Fail(p, "%s: want one pattern behind &, for the rest of the sequence", d.macro)
			}
			i++
			rest = pattern[i]
		case expand.IsKey(p, "as"):
			if i+2 != len(pattern) || !expand.IsPlain(pattern[i+1]) {
				d.x.Fail(d.at, "%s: want :as and a name at the end of the pattern", d.macro)
			}
			return items, rest, pattern[i+1]
		case !rest.IsNil():
			d.x.Fail(d.at, "%s: Unsupported binding form, only :as can follow & parameter", d.macro)
		default:
			items = append(items, p)
		}
	}
	return items, rest, as
}

// lookup is one entry of a map pattern: a pattern and the form of the key.
type lookup struct{ pattern, key value.Value }

// associative destructures by key. A sequence of keys and values counts as a map, for keyword
// arguments.
func (d *destructurer) associative(pattern, expr value.Value) {
	x := d.x
	m := x.Gensym("map")
	d.add(m, x.List(expr, fnKwargs, expr))
	lookups, as, defaults := d.entries(pattern)
	if !as.IsNil() {
		d.add(as, m)
	}
	for _, l := range lookups {
		call := x.List(l.pattern, fnGet, m, l.key)
		if l.pattern.IsSymbol() {
			if def, ok := defaults[l.pattern.AsSymbol().Name]; ok {
				call = x.List(l.pattern, fnGet, m, l.key, def)
			}
		}
		d.bind(l.pattern, call, false)
	}
}

// entries reads a map pattern: first the entries that name their own key, then the names after
// :keys, :strs and :syms. For a name that is bound twice, only the last entry is looked up.
func (d *destructurer) entries(pattern value.Value) (lookups []lookup, as value.Value,
	defaults map[string]value.Value) {
	type list struct{ key, names value.Value }
	var lists []list
	for it := value.NewMapIter(pattern); it.Next(); {
		switch k := it.Key; {
		case expand.IsKey(k, "as"):
			as = it.Val
			d.plain(as, ":as")
		case expand.IsKey(k, "or"):
			defaults = d.defaults(it.Val)
		case isNameList(k):
			lists = append(lists, list{k, it.Val})
		case k.IsKeyword():
			d.x.Fail(d.at, "%s: in a map pattern the name comes first and the key second: {%s :%s}",
				d.macro, k.AsKeyword().Name, k.AsKeyword().Name)
		default:
			lookups = append(lookups, lookup{k, it.Val})
		}
	}
	place := make(map[string]int)
	for i, l := range lookups {
		if l.pattern.IsSymbol() {
			place[l.pattern.AsSymbol().Name] = i
		}
	}
	for _, l := range lists {
		for _, name := range d.names(l.key, l.names) {
			entry := d.listed(l.key.AsKeyword(), name)
			local := entry.pattern.AsSymbol().Name
			if i, ok := place[local]; ok && name.IsSymbol() {
				lookups[i] = entry
				continue
			}
			place[local] = len(lookups)
			lookups = append(lookups, entry)
		}
	}
	return lookups, as, defaults
}

// isNameList reports whether a key of a map pattern is followed by names.
func isNameList(key value.Value) bool {
	if !key.IsKeyword() {
		return false
	}
	switch key.AsKeyword().Name {
	case "keys", "syms":
		return true
	case "strs":
		return key.AsKeyword().NS == ""
	}
	return false
}

func (d *destructurer) names(key, names value.Value) []value.Value {
	if !expand.IsVector(names) {
		d.x.Fail(d.at, "%s: got %s after :%s, want a vector of names", d.macro, value.Describe(d.x.T, names),
			key.AsKeyword().Name)
	}
	return value.Items(names)
}

// listed returns the entry of one name after :keys, :syms or :strs.
func (d *destructurer) listed(key *value.Keyword, name value.Value) lookup {
	t := d.x.T
	var ns, base string
	local := name
	switch {
	case name.IsSymbol():
		ns, base = name.AsSymbol().NS, name.AsSymbol().Name
		if ns != "" {
			local = t.Symbol("", base)
			local.AsSymbol().Pos = name.AsSymbol().Pos
		}
	case name.IsKeyword() && key.Name == "keys":
		ns, base = name.AsKeyword().NS, name.AsKeyword().Name
		local = t.Symbol("", base)
	default:
		d.x.Fail(d.at, "%s: got %s after :%s, want a symbol", d.macro, value.Describe(t, name), key.Name)
	}
	if key.NS != "" {
		ns = key.NS
	}
	switch key.Name {
	case "keys":
		return lookup{local, t.Keyword(ns, base)}
	case "syms":
		return lookup{local, d.x.Quote(t.Symbol(ns, base))}
	}
	if ns != "" {
		base = ns + "/" + base
	}
	return lookup{local, t.CopyString(base)}
}

// defaults reads the map after :or.
func (d *destructurer) defaults(or value.Value) map[string]value.Value {
	if !expand.IsMap(or) {
		d.x.Fail(d.at, "%s: got %s after :or, want a map from names to defaults", d.macro, value.Describe(d.x.T, or))
	}
	defaults := make(map[string]value.Value)
	for it := value.NewMapIter(or); it.Next(); {
		if !expand.IsPlain(it.Key) {
			d.x.Fail(d.at, "%s: got %s as a key after :or, want the name that is bound, as in {:keys [a] :or {a 1}}",
				d.macro, value.Describe(d.x.T, it.Key))
		}
		defaults[it.Key.AsSymbol().Name] = it.Val
	}
	return defaults
}

func (d *destructurer) plain(name value.Value, where string) {
	if !expand.IsPlain(name) {
		d.x.Fail(d.at, "%s: got %s after %s, want a symbol", d.macro, value.Describe(d.x.T, name), where)
	}
	d.name(name)
}
