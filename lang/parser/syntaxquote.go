// This file defines syntax-quote: it builds the code that a template expands to.

package parser

import (
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// The functions that the expansion of a template calls.
var (
	symSeq      = value.ConstSymbol("clojure.core", "seq")
	symConcat   = value.ConstSymbol("clojure.core", "concat")
	symList     = value.ConstSymbol("clojure.core", "list")
	symApply    = value.ConstSymbol("clojure.core", "apply")
	symVector   = value.ConstSymbol("clojure.core", "vector")
	symHashMap  = value.ConstSymbol("clojure.core", "hash-map")
	symHashSet  = value.ConstSymbol("clojure.core", "hash-set")
	symWithMeta = value.ConstSymbol("clojure.core", "with-meta")
)

// template expands one syntax-quote.
type template struct {
	*reader
	start   int   // byte offset of the `
	id      int64 // of its gensyms
	hasID   bool
	gensyms map[string]value.Value // foo# to its symbol
	depth   int
}

// syntaxQuote expands the syntax-quote of a form. The ` is at byte start. It follows
// LispReader.SyntaxQuoteReader.
func (r *reader) syntaxQuote(form value.Value, start int) value.Value {
	t := template{reader: r, start: start}
	return t.expand(form)
}

// expand returns the code that builds form. Its Go stack is as deep as the form, which is bounded:
// an inner syntax-quote has been expanded already, and its code is three times as deep as its
// template.
func (t *template) expand(form value.Value) value.Value {
	if t.depth >= t.limits.Nesting {
		t.failNested()
	}
	if t.err != nil {
		return value.Nil
	}
	t.depth++
	defer func() { t.depth-- }()
	t.t.Work(1)

	var code value.Value
	switch {
	case form.IsSymbol():
		code = t.list(t.start, symQuote, t.resolve(form))
	case t.isCall(form, "unquote"):
		return t.second(form)
	case t.isCall(form, "unquote-splicing"):
		t.failAt(t.start, t.next, "~@ stands alone in a syntax-quote: there is nothing to splice into",
			"write ~, or put it into a list: `(~@forms)")
		return value.Nil
	case t.isRegex(form):
		return form
	case form.Is(value.Vectors):
		code = t.build(symVector, t.t.ToVals(form))
	case form.Is(value.Maps):
		code = t.build(symHashMap, t.pairs(form))
	case form.Is(value.Sets):
		code = t.build(symHashSet, t.t.ToVals(form))
	case form.Is(value.Seqs):
		code = t.buildList(form)
	case form.IsKeyword() || form.Is(value.Numbers) || form.IsChar() || form.IsString():
		return form
	default:
		return t.list(t.start, symQuote, form)
	}
	if !form.Is(hasMeta) {
		return code
	}
	if m := value.MetaOf(form); !m.IsNil() && value.MapCount(m) > 0 {
		code = t.list(t.start, symWithMeta, code, t.expand(m))
	}
	return code
}

func (t *template) failNested() {
	if t.err == nil {
		t.err = t.errorAt(diag.NestingTooDeep, t.start, t.next,
			"a syntax-quote grows deeper than the limit of "+diag.Counted(t.limits.Nesting, "level"),
			"nest fewer syntax-quotes, split the template into functions, or raise Limits.Nesting")
	}
}

// build returns (apply constructor (seq (concat …))).
func (t *template) build(constructor value.Value, items []value.Value) value.Value {
	return t.list(t.start, symApply, constructor, t.list(t.start, symSeq, t.concat(items)))
}

// buildList returns (seq (concat …)), or (list) for the empty list.
func (t *template) buildList(form value.Value) value.Value {
	items := t.t.ToVals(form)
	if len(items) == 0 {
		return t.list(t.start, symList)
	}
	start := t.start
	if c := form.AsCons(); c.Pos != 0 {
		start = t.file.Offset(c.Pos)
	}
	return t.list(start, symSeq, t.concat(items))
}

// concat returns (concat …) with one sequence for each of items: (list code), or the spliced
// sequence.
func (t *template) concat(items []value.Value) value.Value {
	parts := t.t.Vals(len(items) + 1)
	parts[0] = symConcat
	for i, item := range items {
		switch {
		case t.isCall(item, "unquote"):
			parts[i+1] = t.list(t.start, symList, t.second(item))
		case t.isCall(item, "unquote-splicing"):
			parts[i+1] = t.second(item)
		default:
			parts[i+1] = t.list(t.start, symList, t.expand(item))
		}
	}
	return t.list(t.start, parts...)
}

// isCall reports whether form is a list that begins with a symbol of clojure.core.
func (t *template) isCall(form value.Value, name string) bool {
	if form.Kind() != value.KindList || form.AsCons().Count == 0 {
		return false
	}
	first := form.AsCons().First
	return first.IsSymbol() && first.AsSymbol().Name == name && first.AsSymbol().NS == "clojure.core"
}

func (t *template) isRegex(form value.Value) bool {
	return form.Kind() == value.KindList && form.AsCons().Count > 0 && value.Identical(form.AsCons().First, symRegex)
}

// second returns the second element of a list, nil if there is none.
func (t *template) second(form value.Value) value.Value {
	rest := value.Of(form.AsCons().Rest)
	if rest.IsNil() {
		return value.Nil
	}
	return rest.AsCons().First
}

// resolve returns the symbol that replaces a symbol of a template.
func (t *template) resolve(form value.Value) value.Value {
	sym := form.AsSymbol()
	ns, name := sym.NS, sym.Name
	switch {
	case ns == "" && strings.HasSuffix(name, "#"):
		return t.t.SymbolAt(t.gensym(name).AsSymbol(), sym.Pos)
	case ns == "" && strings.HasPrefix(name, "."):
		return form
	case ns == "" && len(name) > 1 && strings.HasSuffix(name, "."):
		// A constructor. Only the name of its class is resolved, and it gets no namespace.
		if strings.IndexByte(name[:len(name)-1], '.') > 0 {
			return form
		}
		_, name = t.resolveName("", name[:len(name)-1])
		name += "."
	case strings.IndexByte(name, '.') > 0:
		return form
	default:
		ns, name = t.resolveName(ns, name)
	}
	if ns == sym.NS && name == sym.Name {
		return form
	}
	v := t.t.Symbol(ns, name)
	v.AsSymbol().Pos = sym.Pos
	return v
}

func (t *template) resolveName(ns, name string) (string, string) {
	if full, ok := t.opts.Aliases[ns]; ok {
		ns = full
	}
	if t.opts.ResolveSymbol != nil {
		return t.opts.ResolveSymbol(ns, name)
	}
	if ns == "" {
		ns = t.currentNS()
	}
	return ns, name
}

// gensym returns the symbol for name, which ends in #, in this template.
func (t *template) gensym(name string) value.Value {
	if v, ok := t.gensyms[name]; ok {
		return v
	}
	if !t.hasID {
		t.id, t.hasID = t.nextID(t.start), true
	}
	t.t.Charge(mapEntryBytes + limits.BytesSize(len(name)+maxSuffix))
	v := t.t.Symbol("", name[:len(name)-1]+"__"+strconv.FormatInt(t.id, 10)+"__auto__")
	if t.gensyms == nil {
		t.gensyms = make(map[string]value.Value)
	}
	t.gensyms[name] = v
	return v
}

// pairs returns the keys and values of a map, one after the other.
func (t *template) pairs(m value.Value) []value.Value {
	vals := t.t.Vals(2 * value.MapCount(m))
	it := value.NewMapIter(m)
	for i := 0; it.Next(); i += 2 {
		vals[i], vals[i+1] = it.Key, it.Val
	}
	return vals
}

// mapEntryBytes is the charge for an entry of a Go map whose capacity doubles: 96 bytes for each of
// up to twice as many places.
const mapEntryBytes = 192

// maxSuffix is the length of __9223372036854775807__auto__.
const maxSuffix = 29
