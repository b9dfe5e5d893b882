// This file defines ns, require and similar forms, which the compiler executes.

package compile

import (
	"slices"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

func nsForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	if len(args) == 0 || !args[0].IsSymbol() {
		f.c.fail(diag.BadForm, form, "ns: want a name")
	}
	f.c.env.Enter(args[0].AsSymbol().Name)
	f.entersNS = true
	var later []value.Value // specs of namespaces that the program makes when it runs
	for _, clause := range args[1:] {
		if clause.IsString() || clause.Is(value.Maps) {
			continue
		}
		items, ok := value.FormItems(clause)
		if !ok || len(items) == 0 || !items[0].IsKeyword() {
			f.c.fail(diag.BadForm, form, "ns: want clauses such as (:require [clojure.string :as str])")
		}
		kind, specs := items[0].AsKeyword().Name, items[1:]
		if kind == "require" {
			specs = slices.DeleteFunc(slices.Clone(specs), func(spec value.Value) bool {
				made := f.c.madeLater(spec)
				if made {
					later = append(later, f.c.callForm(form, "", "quote", []value.Value{spec}))
				}
				return made
			})
		}
		f.c.nsClause(kind, specs, clause)
	}
	if len(later) > 0 {
		f.expr(f.c.callForm(form, CoreNS, "%require", later), cx)
		return
	}
	f.load(value.Nil, cx.dst)
	f.done(cx)
}

func (c *Compiler) nsClause(kind string, specs []value.Value, at value.Value) {
	switch kind {
	case "require", "use", "require-macros":
		for _, spec := range c.loadFlags(at, specs) {
			c.require(spec, kind == "use")
		}
	case "refer-clojure":
		c.referClojure(specs, at)
	case "refer":
		if len(specs) == 0 || !specs[0].IsSymbol() {
			c.fail(diag.BadForm, at, "ns: want a namespace after :refer")
		}
		c.referSome(specs[0], specs[1:], at)
	case "import":
		c.importSpecs(specs, at)
	case "gen-class":
	default:
		c.fail(diag.BadForm, at, "ns: unknown clause :%s; there are :require, :use, :refer-clojure and :import", kind)
	}
}

func requireForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	head, _, _ := call(form)
	if slices.ContainsFunc(args, f.computed) || f.mayCatch() && !loadable(args) ||
		slices.ContainsFunc(args, f.c.loadedLater) {
		f.expr(f.c.callForm(form, CoreNS, "%"+head.AsSymbol().Name, args), cx)
		return
	}
	libs := f.c.loadFlags(form, args)
	if len(libs) == 0 {
		f.c.failThrown(diag.BadForm, form, "("+head.AsSymbol().Name+" '[clojure.string :as str])",
			"Nothing specified to load")
	}
	var absent []value.Value // calls that throw when the program runs
	for _, a := range libs {
		if qhead, quoted, ok := call(a); ok && len(quoted) == 1 && f.c.isSpecial(f, qhead, entry.SpecialQuote) {
			a = quoted[0]
		}
		if lib, known := f.absentLib(a); !lib.IsNil() {
			absent = append(absent, f.c.callForm(form, CoreNS, "%find-lib", []value.Value{f.c.callForm(form, "", "quote",
				[]value.Value{lib})}))
			if !known {
				continue
			}
		}
		f.c.require(a, specialNamed(head.AsSymbol()) == entry.SpecialUse)
	}
	if len(absent) > 0 {
		f.expr(f.c.callForm(form, "", "do", absent), cx)
		return
	}
	f.load(value.Nil, cx.dst)
	f.done(cx)
}

// computed reports whether the value of an argument of require, use, refer or alias is known only when the program
// runs. A name without a quote is not computed, but a mistake, unless it is that of a local.
func (f *fn) computed(arg value.Value) bool {
	if f.isLocal(arg) {
		return true
	}
	head, quoted, ok := call(arg)
	if ok {
		return len(quoted) != 1 || !f.c.isSpecial(f, head, entry.SpecialQuote)
	}
	items, ok := value.FormItems(arg)
	return ok && slices.ContainsFunc(items, f.computed)
}

// absentLib returns the name of the library of a spec if the program does not have it, and may never come to the
// require, or may catch its exception. known is set if it is a library of Clojure whose names may be mentioned.
func (f *fn) absentLib(spec value.Value) (lib value.Value, known bool) {
	if !f.mayCatch() {
		return value.Nil, false
	}
	if items, ok := value.FormItems(spec); ok && len(items) > 0 && (len(items) == 1 || items[1].IsKeyword()) {
		spec = items[0]
	}
	if !spec.IsSymbol() {
		return value.Nil, false
	}
	name := spec.AsSymbol().Name
	if f.c.env.hasNamespace(builtins.Canonical(name)) {
		return value.Nil, false
	}
	switch why, lacks := builtins.Missing(name, ""); {
	case !lacks:
		return spec, false
	case why == builtins.UseSource:
		return spec, true
	}
	return value.Nil, false
}

// mayCatch reports whether the program may never come to the form, or may catch its exception.
func (f *fn) mayCatch() bool { return f.parent != nil || f.branches }

// loadable reports whether require and use accept the keywords among their arguments, and have an argument.
func loadable(args []value.Value) bool {
	return len(args) > 0 && !slices.ContainsFunc(args, func(a value.Value) bool {
		return a.IsKeyword() && !isLoadFlag(a.AsKeyword().Name)
	})
}

func isLoadFlag(name string) bool {
	return name == "reload" || name == "reload-all" || name == "verbose"
}

// loadedLater reports whether a quoted spec of require names a namespace that earlier code may make when it runs. It
// declares the alias of the spec.
func (c *Compiler) loadedLater(quoted value.Value) bool {
	head, of, ok := call(quoted)
	return ok && len(of) == 1 && head.IsSymbol() && head.AsSymbol().Name == "quote" && c.madeLater(of[0])
}

// madeLater is loadedLater for a spec without a quote.
func (c *Compiler) madeLater(spec value.Value) bool {
	if !c.env.interns {
		return false
	}
	items, vector := value.FormItems(spec)
	if vector && len(items) > 0 && (len(items) == 1 || items[1].IsKeyword()) {
		spec = items[0]
	}
	if !spec.IsSymbol() || c.env.hasNamespace(builtins.Canonical(spec.AsSymbol().Name)) {
		return false
	}
	if _, lacks := builtins.Missing(spec.AsSymbol().Name, ""); lacks {
		return false
	}
	for i := 1; i+1 < len(items); i += 2 {
		if items[i].IsKeyword() && items[i].AsKeyword().Name == "as" && items[i+1].IsSymbol() {
			c.env.alias(items[i+1].AsSymbol().Name, spec.AsSymbol().Name)
		}
	}
	return true
}

// loadFlags returns the arguments of require and use without the flags :reload, :reload-all and :verbose,
// which have no effect: the library is always loaded.
func (c *Compiler) loadFlags(form value.Value, args []value.Value) []value.Value {
	libs := make([]value.Value, 0, len(args))
	for _, a := range args {
		if !a.IsKeyword() {
			libs = append(libs, a)
			continue
		}
		if flag := a.AsKeyword(); !isLoadFlag(flag.Name) {
			c.failHint(diag.BadForm, form, "there are :reload, :reload-all and :verbose", "Unsupported option(s) supplied: :%s",
				flag.Name)
		}
	}
	return libs
}

func importForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	f.c.importSpecs(args, form)
	f.load(value.Nil, cx.dst)
	f.done(cx)
}

// inNSForm changes the current namespace for the forms after it. Inside a function, or with a
// computed name, it does so when it runs, for resolve and eval.
func inNSForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	f.want(form, args, 1, 1, "(in-ns 'name)")
	if name, ok := quotedSymbol(args[0]); ok && f.parent == nil && !f.bindsNS {
		f.c.env.Enter(name)
		f.entersNS = true
		f.load(value.ConstNamespace(name), cx.dst)
		f.done(cx)
		return
	}
	f.expr(f.c.callForm(form, CoreNS, "%in-ns", args), cx)
}

// quotedSymbol returns the name in (quote name).
func quotedSymbol(form value.Value) (name string, ok bool) {
	head, quoted, ok := call(form)
	if !ok || !head.IsSymbol() || head.AsSymbol().Name != "quote" || len(quoted) != 1 || !quoted[0].IsSymbol() {
		return "", false
	}
	return quoted[0].AsSymbol().Name, true
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
	if len(opts) == 2 && opts[0].IsKeyword() && opts[0].AsKeyword().Name == "as-alias" && !all {
		c.env.Create(full) // it may be missing
	}
	if !c.env.hasNamespace(full) {
		if why, ok := builtins.Missing(ns, ""); ok {
			c.lackNamespace(at, ns, why, opts, all)
			return
		}
		err := c.errorAt(diag.UnknownName, at, "Could not locate namespace %s", ns)
		err.Class = "java.io.FileNotFoundException"
		if near, ok := diag.Suggest(ns, slices.Values(builtins.Namespaces())); ok {
			err.Hint = "did you mean " + near + "?"
		} else {
			err.Hint = "ptc run --path DIR takes namespaces from files; the library has " +
				strings.Join(builtins.Namespaces(), ", ")
		}
		panic(failure{err})
	}
	c.env.shorten(ns, full)
	var r refers
	r.all = all
	if last := len(opts) - 1; len(opts)%2 == 1 && opts[last].IsKeyword() {
		c.fail(diag.BadForm, at, "require: No value supplied for key: :%s, after %s", opts[last].AsKeyword().Name, ns)
	}
	for i := 0; i+1 < len(opts); i += 2 {
		if !opts[i].IsKeyword() {
			c.fail(diag.BadForm, at, "require: want options such as :as and :refer after %s", ns)
		}
		switch key := opts[i].AsKeyword().Name; key {
		case "as", "as-alias":
			if !opts[i+1].IsSymbol() {
				c.fail(diag.BadForm, at, "require: want a symbol after :as")
			}
			c.env.alias(opts[i+1].AsSymbol().Name, full)
		case "only": // which require ignores
			if !opts[i+1].IsSymbol() {
				c.referOption(&r, key, opts[i+1], at)
			}
		case "use": // which refers to all names
			r.all = r.all || r.names == nil && opts[i+1].Truthy()
		case "require", "reload", "reload-all", "verbose": // which are flags of the whole form
		default:
			c.referOption(&r, key, opts[i+1], at)
		}
	}
	c.referAll(full, r)
}

// names returns the symbols of a vector or list of them.
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

// CurrentNS returns the global of *ns*, which is the same in every environment.
var CurrentNS = sync.OnceValue(func() int { return slices.Index(builtins.CoreDynamics(), "*ns*") })

// internDynamic returns the global that carries the bindings of a dynamic var of the library.
func (e *Env) internDynamic(ns, name string) int {
	i := e.Intern(ns, name)
	if entry := builtins.Lookup(ns, name); entry != nil {
		g := &e.Globals[i]
		g.Dynamic, g.Library, g.Settable, g.Root, g.setting = true, true, entry.Settable, entry.Root, entry.Setting
	}
	return i
}
