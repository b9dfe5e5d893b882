// This file builds the forms of prefixes: quote, deref, var, unquote, metadata and tags.

package parser

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/value"
)

// Symbols that the reader produces.
var (
	symQuote           = value.ConstSymbol("", "quote")
	symVar             = value.ConstSymbol("", "var")
	symFn              = value.ConstSymbol("", "fn*")
	symAmpersand       = value.ConstSymbol("", "&")
	symRegex           = value.ConstSymbol("", "%regex")
	symDeref           = value.ConstSymbol("clojure.core", "deref")
	symUnquote         = value.ConstSymbol("clojure.core", "unquote")
	symUnquoteSplicing = value.ConstSymbol("clojure.core", "unquote-splicing")

	keyTag = value.ConstKeyword("tag")
)

// prefixed closes the innermost frame, a prefix that has all its forms, and returns the prefix's
// form.
func (r *reader) prefixed() value.Value {
	f := r.pop()
	form := r.items[len(r.items)-1]
	var v value.Value
	switch f.kind {
	case frameQuote:
		var has bool
		if v, has = r.constant(form); !has {
			v = r.list(f.start, symQuote, form)
		}
	case frameDeref:
		v = r.list(f.start, symDeref, form)
	case frameVar:
		v = r.list(f.start, symVar, form)
	case frameUnquote:
		v = r.list(f.start, symUnquote, form)
	case frameUnquoteSplicing:
		v = r.list(f.start, symUnquoteSplicing, form)
	case frameSyntaxQuote:
		v = r.syntaxQuote(form, f.start)
	case frameMeta:
		v = r.meta(f.base)
	case frameTag:
		v = r.tagged(&f, form)
	}
	r.truncate(f.base)
	return v
}

// hasMeta holds the kinds of forms that can carry metadata.
var hasMeta = value.Colls&^value.Kinds(value.KindMapEntry) | value.Kinds(value.KindSymbol)

// meta attaches the metadata in items[base] to the form after it.
func (r *reader) meta(base int) value.Value {
	m, form := r.items[base], r.items[base+1]
	at := r.spans[base]
	switch {
	case m.IsSymbol() || m.IsString():
		m = r.pair(keyTag, m)
	case m.IsKeyword():
		m = r.pair(m, value.True)
	case !m.Is(value.Maps):
		r.failAt(at.start, at.end, "metadata must be a keyword, a symbol, a string or a map, got "+r.quote(at.start, at.end),
			"write ^:name, ^Type or ^{:key value}")
		return value.Nil
	}
	if !form.Is(hasMeta) {
		at = r.spans[base+1]
		r.failAt(at.start, at.end, "metadata can be put on symbols and collections only, got "+r.quote(at.start, at.end),
			"remove the ^ form before it")
		return value.Nil
	}
	if old := value.MetaOf(form); !old.IsNil() {
		it := value.NewMapIter(m)
		for m = old; it.Next(); {
			r.t.Work(1)
			m = r.t.MapAssoc(m, it.Key, it.Val)
		}
	}
	return value.WithMeta(r.t, form, m)
}

// pair returns a map of one entry.
func (r *reader) pair(k, v value.Value) value.Value {
	kv := r.t.Vals(2)
	kv[0], kv[1] = k, v
	return r.t.MapLiteral(kv)
}

// evaluated returns the form of #=form, which the compiler evaluates in its place. It must not be data.
func (r *reader) evaluated(f *frame, form value.Value) value.Value {
	quoted := slices.ContainsFunc(r.frames, func(f frame) bool {
		return f.kind == frameQuote || f.kind == frameSyntaxQuote
	})
	if quoted || !r.opts.code() || !form.Is(value.ListForms|value.Kinds(value.KindSymbol)) {
		r.failAt(f.start, f.end, "#= (evaluation while reading) is not supported in data", "write the expression itself")
	}
	return form
}

// tagged returns the value of #tag form.
func (r *reader) tagged(f *frame, form value.Value) value.Value {
	if r.suppress > 0 {
		return value.Nil // in a branch of a reader conditional that is not taken
	}
	if f.text == "=" {
		return r.evaluated(f, form)
	}
	at := r.spans[f.base]
	tag := r.symbol(f.text, f.start+1)
	if r.err != nil {
		return value.Nil
	}
	if r.opts.Tags != nil {
		if v, ok := r.opts.Tags(r.t, tag, form); ok {
			return v
		}
	}
	var v value.Value
	var err error
	switch {
	case f.text == "inst" || f.text == "uuid":
		if !form.IsString() {
			r.failAt(at.start, at.end, fmt.Sprintf("#%s takes a string, got %s", f.text, r.quote(at.start, at.end)), "")
			return value.Nil
		}
		if f.text == "inst" {
			v, err = r.t.InstFrom(form.AsString().S)
		} else {
			v, err = r.t.UUIDFrom(form.AsString().S)
		}
	case r.opts.Edn && r.opts.Tags == nil, r.preserving > 0:
		v = r.t.Tagged(tag, form)
	case r.opts.code() && strings.Contains(f.text, ".") &&
		form.Is(value.Maps|value.Vectors):
		v = r.record(f.text, form)
	default:
		r.failUnknownTag(f)
	}
	if err != nil {
		r.failAt(at.start, at.end, fmt.Sprintf("#%s: %v", f.text, err), "")
	}
	return v
}
