// This file makes names of other namespaces known without a prefix: :refer, :only, :exclude and
// :rename, refer, alias and create-ns.

package compile

import (
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// refers selects the names of a namespace that become known, and renames them.
type refers struct {
	all     bool
	names   []value.Value // symbols
	exclude map[string]bool
	rename  map[string]string
}

// referOption takes one option of require, use and refer.
func (c *Compiler) referOption(r *refers, key string, arg, at value.Value) {
	switch key {
	case "refer", "only", "refer-macros":
		if arg.IsKeyword() && arg.AsKeyword().Name == "all" {
			r.all = true
			return
		}
		r.all = false
		r.names = c.names(arg, ":"+key)
	case "exclude":
		r.exclude = make(map[string]bool)
		for _, sym := range c.names(arg, ":exclude") {
			r.exclude[sym.AsSymbol().Name] = true
		}
	case "rename":
		arg = unquoted(arg)
		if !arg.Is(value.Maps) {
			c.fail(diag.BadForm, at, ":rename: want a map from name to name")
		}
		r.rename = make(map[string]string)
		for it := value.NewMapIter(arg); it.Next(); {
			if !it.Key.IsSymbol() || !it.Val.IsSymbol() {
				c.fail(diag.BadForm, at, ":rename: want a map from name to name")
			}
			r.rename[it.Key.AsSymbol().Name] = it.Val.AsSymbol().Name
		}
	case "include-macros":
	default:
		c.fail(diag.BadForm, at, "unknown option :%s; there are :as, :refer, :only, :exclude and :rename", key)
	}
}

// referAll makes names of a namespace known in the current one.
func (c *Compiler) referAll(ns string, r refers) {
	add := func(name string) {
		if r.exclude[name] {
			return
		}
		here := name
		if as, ok := r.rename[name]; ok {
			here = as
		}
		c.env.refer(here, referred{ns, name})
	}
	for _, sym := range r.names {
		name := sym.AsSymbol().Name
		if _, lacks := builtins.Missing(ns, name); lacks && c.lookup(&value.Symbol{NS: ns, Name: name}).kind == refNone {
			add(name)
			continue
		}
		if _, constant := builtins.Static(ns, name); !constant && builtins.Lookup(ns, name) == nil &&
			c.env.lookup(ns, name) < 0 {
			panic(failure{c.errorAt(diag.UnknownName, sym, "%s/%s does not exist", ns, name)})
		}
		add(name)
	}
	if !r.all {
		return
	}
	for e := range builtins.Entries() {
		if e.NS == ns {
			add(e.Name)
		}
	}
	for _, g := range c.env.Globals {
		if g.NS == ns && !g.Private {
			add(g.Name)
		}
	}
}

// referClojure takes the options of :refer-clojure.
func (c *Compiler) referClojure(opts []value.Value, at value.Value) {
	r := refers{all: true}
	for i := 0; i+1 < len(opts); i += 2 {
		if !opts[i].IsKeyword() {
			c.fail(diag.BadForm, at, "refer-clojure: want options such as :exclude [name]")
		}
		c.referOption(&r, opts[i].AsKeyword().Name, opts[i+1], at)
	}
	sp := c.env.space()
	if !r.all {
		sp.only = make(map[string]bool)
	}
	for _, sym := range r.names {
		sp.only[sym.AsSymbol().Name] = true
	}
	for name := range r.exclude {
		sp.exclude[name] = true
	}
	for name, as := range r.rename {
		sp.exclude[name] = true
		c.env.refer(as, referred{CoreNS, name})
	}
}

// referSome takes the arguments of refer: a namespace and options.
func (c *Compiler) referSome(ns value.Value, opts []value.Value, at value.Value) {
	full := builtins.Canonical(ns.AsSymbol().Name)
	if full == CoreNS {
		c.referClojure(opts, at)
		return
	}
	if !c.env.hasNamespace(full) {
		c.failThrown(diag.UnknownName, ns, "", "No namespace: %s", ns.AsSymbol().Name)
	}
	r := refers{all: true}
	for i := 0; i+1 < len(opts); i += 2 {
		if !opts[i].IsKeyword() {
			c.fail(diag.BadForm, at, "refer: want options such as :only [name]")
		}
		c.referOption(&r, opts[i].AsKeyword().Name, unquoted(opts[i+1]), at)
	}
	c.referAll(full, r)
}

// unquoted returns the form in (quote form), and any other form unchanged.
func unquoted(form value.Value) value.Value {
	if head, quoted, ok := call(form); ok && len(quoted) == 1 && head.IsSymbol() && head.AsSymbol().Name == "quote" {
		return quoted[0]
	}
	return form
}

func referForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	head, _, _ := call(form)
	if specialNamed(head.AsSymbol()) == entry.SpecialReferClojure {
		opts := make([]value.Value, len(args))
		for i, a := range args {
			opts[i] = unquoted(a)
		}
		f.c.referClojure(opts, form)
	} else {
		f.want(form, args, 1, -1, "(refer 'namespace options…)")
		if slices.ContainsFunc(args, f.computed) || f.absentNS(args[0]) {
			f.expr(f.c.callForm(form, CoreNS, "%refer", args), cx)
			return
		}
		if _, ok := quotedSymbol(args[0]); !ok {
			f.c.fail(diag.BadForm, form, "refer: got %s, want a quoted name", value.Describe(f.c.t, args[0]))
		}
		f.c.referSome(unquoted(args[0]), args[1:], form)
	}
	f.load(value.Nil, cx.dst)
	f.done(cx)
}

// absentNS reports whether a quoted name is that of no namespace, and the program may catch the exception for it.
func (f *fn) absentNS(form value.Value) bool {
	name, ok := quotedSymbol(form)
	return ok && f.mayCatch() && !f.c.env.hasNamespace(builtins.Canonical(name))
}

func aliasForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	f.want(form, args, 2, 2, "(alias 'short 'namespace)")
	if slices.ContainsFunc(args, f.computed) || f.absentNS(args[1]) {
		f.expr(f.c.callForm(form, CoreNS, "%alias", args), cx)
		return
	}
	short, ok := quotedSymbol(args[0])
	ns, named := quotedSymbol(args[1])
	if !ok || !named {
		f.c.fail(diag.BadForm, form, "alias: want two quoted names")
	}
	full := builtins.Canonical(ns)
	if !f.c.env.hasNamespace(full) {
		if !f.c.opens(full) {
			f.c.failThrown(diag.UnknownName, form, "", "No namespace: %s found", ns)
		}
		f.c.env.Create(full)
	}
	f.c.env.alias(short, full)
	f.load(value.Nil, cx.dst)
	f.done(cx)
}

// opens reports whether a file of the program begins with the form ns of a namespace. In Clojure the namespace exists
// while those are loaded that it requires.
func (c *Compiler) opens(ns string) bool {
	return slices.ContainsFunc(c.files.Files(), func(f *token.File) bool {
		_, after, found := strings.Cut(f.Source, "(ns "+ns)
		return found && (after == "" || strings.ContainsAny(after[:1], " \t\r\n,)("))
	})
}

// createNSForm makes a namespace at compile time if its name is a constant.
func createNSForm(f *fn, form value.Value, args []value.Value, cx ctx) {
	f.want(form, args, 1, 1, "(create-ns 'name)")
	if name, ok := quotedSymbol(args[0]); ok {
		f.c.env.Create(name)
	}
	f.expr(f.c.callForm(form, CoreNS, "%create-ns", args), cx)
}
