// This file defines ns, require and their kin, which work while compiling.

package compile

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

func nsForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	if len(args) == 0 || !args[0].IsSymbol() {
		f.c.fail(diag.BadForm, form, "ns: want a name")
	}
	f.c.env.Enter(args[0].AsSymbol().Name)
	for _, clause := range args[1:] {
		if clause.IsString() || clause.Is(value.Maps) {
			continue
		}
		items, ok := listItems(clause)
		if !ok || len(items) == 0 || !items[0].IsKeyword() {
			f.c.fail(diag.BadForm, form, "ns: want clauses such as (:require [clojure.string :as str])")
		}
		f.c.nsClause(items[0].AsKeyword().Name, items[1:], clause)
	}
	f.load(value.Nil, cx.dst)
	f.done(cx)
}

func (c *Compiler) nsClause(kind string, specs []value.Value, at value.Value) {
	switch kind {
	case "require", "use", "require-macros":
		for _, spec := range specs {
			c.require(spec, kind == "use")
		}
	case "refer-clojure":
		for i := 0; i+1 < len(specs); i += 2 {
			if specs[i].IsKeyword() && specs[i].AsKeyword().Name == "exclude" {
				for _, sym := range c.names(specs[i+1], ":exclude") {
					c.env.space().exclude[sym.AsSymbol().Name] = true
				}
			}
		}
	case "import", "gen-class":
	default:
		c.fail(diag.BadForm, at, "ns: unknown clause :%s; there are :require, :use, :refer-clojure and :import", kind)
	}
}

func requireForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	head, _, _ := call(form)
	for _, a := range args {
		if a.IsKeyword() {
			continue
		}
		if qhead, quoted, ok := call(a); ok && len(quoted) == 1 && f.c.isSpecial(f, qhead, "quote") {
			a = quoted[0]
		}
		f.c.require(a, head.AsSymbol().Name == "use")
	}
	f.load(value.Nil, cx.dst)
	f.done(cx)
}

func importForm(f *fn, _ value.Value, _ []value.Value, cx ctx) {
	f.load(value.Nil, cx.dst)
	f.done(cx)
}

func inNSForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	f.want(form, args, 1, 1, "(in-ns 'name)")
	_, quoted, ok := call(args[0])
	if !ok || len(quoted) != 1 || !quoted[0].IsSymbol() {
		f.c.fail(diag.BadForm, form, "in-ns: got %s, want a quoted name", value.Describe(f.c.t, args[0]))
	}
	f.c.env.Enter(quoted[0].AsSymbol().Name)
	f.load(value.Nil, cx.dst)
	f.done(cx)
}

// require takes one spec: a name, or [name :as alias :refer [names]].
func (c *Compiler) require(spec value.Value, all bool) {
	if spec.IsSymbol() {
		c.requireNS(spec, spec.AsSymbol().Name, nil, all)
		return
	}
	items, ok := value.FormItems(spec)
	if !ok || len(items) == 0 || !items[0].IsSymbol() {
		c.fail(diag.BadForm, spec, "require: want a name or [name :as alias :refer [names]]")
	}
	if len(items) > 1 && !items[1].IsKeyword() {
		for _, sub := range items[1:] {
			c.requirePrefixed(items[0].AsSymbol().Name, sub, all)
		}
		return
	}
	c.requireNS(items[0], items[0].AsSymbol().Name, items[1:], all)
}

// requirePrefixed takes a spec of a prefix list: (clojure string [set :as s]).
func (c *Compiler) requirePrefixed(prefix string, spec value.Value, all bool) {
	if spec.IsSymbol() {
		c.requireNS(spec, prefix+"."+spec.AsSymbol().Name, nil, all)
		return
	}
	if items, ok := value.FormItems(spec); ok && len(items) > 0 && items[0].IsSymbol() {
		c.requireNS(items[0], prefix+"."+items[0].AsSymbol().Name, items[1:], all)
	}
}

func (c *Compiler) requireNS(at value.Value, ns string, opts []value.Value, all bool) {
	full := builtins.Canonical(ns)
	if !c.env.hasNamespace(full) {
		if why, ok := builtins.Missing(ns, ""); ok {
			c.failHint(diag.Unsupported, at, why, "the namespace %s is not available in a task program", ns)
		}
		err := c.errorAt(diag.UnknownName, at, "Could not locate namespace %s", ns)
		err.Hint = "there are " + strings.Join(builtins.Namespaces(), ", ")
		panic(failure{err})
	}
	c.env.alias(ns, full)
	for i := 0; i+1 < len(opts); i += 2 {
		if !opts[i].IsKeyword() {
			c.fail(diag.BadForm, at, "require: want options such as :as and :refer behind %s", ns)
		}
		switch opts[i].AsKeyword().Name {
		case "as", "as-alias":
			if !opts[i+1].IsSymbol() {
				c.fail(diag.BadForm, at, "require: want a symbol behind :as")
			}
			c.env.alias(opts[i+1].AsSymbol().Name, full)
		case "refer", "only":
			if opts[i+1].IsKeyword() {
				all = true
				continue
			}
			for _, sym := range c.names(opts[i+1], ":refer") {
				c.refer(sym, full)
			}
		}
	}
	if !all {
		return
	}
	for e := range builtins.Entries() {
		if e.NS == full {
			c.env.refer(e.Name, full)
		}
	}
	for _, g := range c.env.Globals {
		if g.NS == full {
			c.env.refer(g.Name, full)
		}
	}
}

// names gives the symbols of a vector or list of them.
func (c *Compiler) names(form value.Value, option string) []value.Value {
	items, ok := value.FormItems(form)
	for _, sym := range items {
		ok = ok && sym.IsSymbol()
	}
	if !ok {
		c.fail(diag.BadForm, form, "%s: want a vector of names", option)
	}
	return items
}

func (c *Compiler) refer(sym value.Value, ns string) {
	name := sym.AsSymbol().Name
	if builtins.Lookup(ns, name) == nil && c.env.Lookup(ns, name) < 0 {
		err := c.errorAt(diag.UnknownName, sym, "%s/%s does not exist", ns, name)
		panic(failure{err})
	}
	c.env.refer(name, ns)
}

// internDynamic gives the global that carries the bindings of a dynamic var of
// the library.
func (e *Env) internDynamic(ns, name string) int {
	i := e.Intern(ns, name)
	e.Globals[i].Dynamic = true
	return i
}
