// This file defines the tokens that require a certain bracket after them: reader conditionals,
// #?(…) and #?@(…), and namespaced maps, #:ns{…}.

package parser

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/ptc-lang/ptc/lang/value"
)

// condState is the role of the next form in a reader conditional.
type condState uint8

const (
	condFeature condState = iota // a feature
	condTake                     // the form of an active feature
	condSkip                     // the form of a feature that is not active
	condDone                     // any form: the selected one has been read
)

// defaultFeatures are the features of a reader conditional besides :default.
var defaultFeatures = []string{"ptc", "clj"}

// opens opens the frame that the last token announced. It returns false if tok is not the required
// bracket.
func (r *reader) opens(tok *lexer.Token, start, end int) bool {
	o := r.opener
	r.opener = opener{}
	switch {
	case tok.Type == tokBad:
		return true
	case o.kind == tokNSMap && tok.Type == tokMap:
		if r.push(frameMap, start, end); r.err == nil {
			f := r.top()
			f.start, f.text, f.qualified = o.start, o.ns, true
		}
	case o.kind == tokNSMap:
		r.failAt(o.start, end, "a namespaced map needs { after its namespace, got "+r.quote(start, end),
			"write #:name{:key value}")
	case tok.Type == tokList && r.opts.Preserve:
		if r.push(frameList, start, end); r.err == nil {
			f := r.top()
			f.start, f.preserved, f.splice = o.start, true, o.kind == tokSplice
			r.preserving++
		}
	case tok.Type == tokList:
		if r.push(frameCond, start, end); r.err == nil {
			f := r.top()
			f.start, f.splice = o.start, o.kind == tokSplice
		}
	default:
		r.failAt(o.start, end, "a reader conditional needs ( after "+r.quote(o.start, o.end)+", got "+r.quote(start, end),
			"write #?(:clj form :default form)")
	}
	return false
}

// deliverCond passes a form to a reader conditional.
func (r *reader) deliverCond(f *frame, v value.Value, start, end int) {
	switch f.cond {
	case condFeature:
		if !v.IsKeyword() {
			r.failAt(start, end, "a feature is a keyword, got "+r.quote(start, end), "write #?(:clj form :default form)")
			return
		}
		k := v.AsKeyword()
		if k.NS == "" && (k.Name == "else" || k.Name == "none") {
			r.failAt(start, end, "the feature :"+k.Name+" is reserved", "write :default for all other cases")
			return
		}
		f.cond = condTake
		if !r.hasFeature(k) {
			f.cond = condSkip
			r.suppress++
		}
	case condTake:
		r.add(v, start, end)
		f.cond = condDone
		r.suppress++
	case condSkip:
		f.cond = condFeature
		r.suppress--
	}
}

func (r *reader) hasFeature(k *value.Keyword) bool {
	features := r.opts.Features
	if features == nil {
		features = defaultFeatures
	}
	return k.NS == "" && (k.Name == "default" || slices.Contains(features, k.Name))
}

// closeCond ends the innermost frame, a reader conditional.
func (r *reader) closeCond() {
	f := r.pop()
	switch f.cond {
	case condTake:
		at := r.next
		r.failAt(f.start, at, "a reader conditional needs a form after each feature", "write #?(:clj form :default form)")
		return
	case condSkip, condDone:
		r.suppress--
	}
	if f.cond != condDone {
		return // no branch is taken: the conditional reads as nothing
	}
	v, at := r.items[f.base], r.spans[f.base]
	r.truncate(f.base)
	if !f.splice {
		r.deliver(v, at.start, at.end)
		return
	}
	if len(r.frames) == 0 {
		r.failAt(f.start, r.next, "#?@ cannot be used at the top level: there is nothing to splice into", "write #?( there")
		return
	}
	if !v.Is(value.Vectors | value.Seqs) {
		r.failAt(at.start, at.end, "#?@ splices a vector or a list, got "+r.quote(at.start, at.end),
			"write #?@(:clj [form …])")
		return
	}
	for _, x := range r.t.ToVals(v) {
		r.deliver(x, at.start, at.end)
		if len(r.frames) == 0 {
			return // a prefix at the top level took one form; Clojure drops the others
		}
	}
}

// openNSMap reads the namespace of #:ns{…}, #::{…} or #::alias{…}.
func (r *reader) openNSMap(text string, start, end int) {
	ns := text[2:]
	if auto := strings.HasPrefix(ns, ":"); auto && r.opts.Edn {
		r.failAt(start, end, "a namespaced map in EDN must name its namespace", "write #:name{…}")
		return
	} else if auto {
		full, ok := r.currentNS(), true
		if ns != ":" {
			full, ok = r.opts.Aliases[ns[1:]]
		}
		if !ok {
			r.failAlias(ns[1:], start, end)
			return
		}
		ns = full
	} else if name, _, ok := splitSymbol(ns); !ok || name != "" || ns == "nil" || ns == "true" || ns == "false" ||
		isDigit(ns[0]) || ns[0] == ':' {
		r.failAt(start, end, "a namespaced map must name a namespace, got "+r.quote(start, end), "write #:name{:key value}")
		return
	}
	r.opener = opener{kind: tokNSMap, start: start, end: end, ns: r.copyName(ns)}
}

// qualify returns a key of a namespaced map. Keywords and symbols without a namespace get ns, and
// those with the namespace _ lose it.
func (r *reader) qualify(key value.Value, ns string) value.Value {
	rename := func(keyNS string) (string, bool) {
		switch keyNS {
		case "":
			return ns, true
		case "_":
			return "", true
		}
		return "", false
	}
	switch {
	case key.IsKeyword():
		if to, ok := rename(key.AsKeyword().NS); ok {
			return r.t.Keyword(to, key.AsKeyword().Name)
		}
	case key.IsSymbol():
		sym := key.AsSymbol()
		if to, ok := rename(sym.NS); ok {
			v := r.t.Symbol(to, sym.Name)
			v.AsSymbol().Pos = sym.Pos
			return v
		}
	}
	return key
}
