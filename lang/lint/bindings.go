// This file defines the warnings about names: unused names, and names that hide a builtin.

package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// usage is the use of names that the visit finds. A binding is known by the place of its
// symbol, as a macro may have put that into several.
type usage struct {
	bound     []*compile.Binding
	local     map[token.Pos]bool
	mentioned map[string]bool // in calls of macros of the program, which may do anything with them
	private   []*compile.Node // definitions
	global    map[int]bool
	looksUp   bool // the program finds names while it runs
}

func newUsage() usage {
	return usage{local: make(map[token.Pos]bool), mentioned: make(map[string]bool), global: make(map[int]bool)}
}

// note records the names that a node binds and uses.
func (l *linter) note(n *compile.Node, made bool) {
	switch {
	case n.Kind == compile.NodeLocal && n.Local != nil:
		// A macro that reads what it binds does so by the symbol that binds it.
		if pos := n.Form.AsSymbol().Pos; made || pos != n.Local.Pos {
			l.uses.local[n.Local.Pos] = true
		}
	case n.Special == entry.SpecialDef:
		if !made && n.Global >= 0 && l.Env.Globals[n.Global].Private {
			l.uses.private = append(l.uses.private, n)
		}
	case n.Global >= 0 && !inside(n, n.Global):
		l.uses.global[n.Global] = true
	case n.Entry.Is(entry.ReachesNames):
		l.uses.looksUp = true
	case n.Kind == compile.NodeSpecial && n.Special == entry.NotSpecial:
		l.unknown(n)
	}
	if n.Kind == compile.NodeMacro && !made && (n.Global >= 0 || n.Entry.Is(entry.Unevaluated)) {
		l.mention(n.Form)
	}
	if !made {
		l.uses.bound = append(l.uses.bound, n.Binds...)
	}
}

// unknown notes the name in front of a name that means nothing: x of x.name, which the hint may use.
func (l *linter) unknown(n *compile.Node) {
	form := n.Form
	if items, ok := value.RealisedItems(form); ok && form.Is(lists) && len(items) > 0 {
		form = items[0]
	}
	if form.IsSymbol() {
		name, _, _ := strings.Cut(form.AsSymbol().Name, ".")
		l.uses.mentioned[name] = true
	}
}

// inside reports whether a node is in the definition of a global.
func inside(n *compile.Node, global int) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Special == entry.SpecialDef && p.Global == global {
			return true
		}
	}
	return false
}

// mention notes the names in a form.
func (l *linter) mention(form value.Value) {
	l.Task.Work(1)
	if form.IsSymbol() {
		l.uses.mentioned[form.AsSymbol().Name] = true
		return
	}
	if !form.Is(value.Colls) {
		return
	}
	if items, ok := value.RealisedItems(form); ok {
		for _, x := range items {
			l.mention(x)
		}
		return
	}
	for x := range value.Leaves(form) {
		l.mention(x)
	}
}

// unused warns of what nothing uses.
func (l *linter) unused() {
	for _, b := range l.uses.bound {
		if b.Pos != 0 && !l.uses.local[b.Pos] && !l.uses.mentioned[b.Name] && b.Name[0] != '_' && b.Name[0] != '&' &&
			owns(b) {
			l.unusedBinding(b)
		}
	}
	if l.Partial || l.uses.looksUp {
		return
	}
	for _, n := range l.uses.private {
		g := l.Env.Globals[n.Global]
		if l.uses.global[n.Global] || l.uses.mentioned[g.Name] || g.Name[0] == '_' || g.Macro {
			continue
		}
		items, _ := value.RealisedItems(n.Form)
		if at, ok := l.src.symbol(items[1]); ok {
			l.warn(UnusedPrivate, at, Diagnostic{Message: "nothing uses the private " + g.Name,
				Hint: "remove it, or begin its name with _"})
		}
	}
}

// owns reports whether the program could leave a binding out. Those of most macros are part of
// a shape that is given, such as the parameters of a method.
func owns(b *compile.Binding) bool {
	if b.Node.Kind == compile.NodeFn || b.Node.Special == entry.SpecialTry {
		return false
	}
	for n := b.Node; n != nil; n = n.Parent {
		switch {
		case n.Kind == compile.NodeMacro && n.Entry != nil:
			return n.Entry.Is(entry.BindsFreely)
		case n.Special == entry.SpecialDefmacro:
			return true
		}
	}
	return false
}

func (l *linter) unusedBinding(b *compile.Binding) {
	i := l.src.index(b.Pos)
	if i < 0 || l.src.tokens[i].Kind != parser.Atom {
		return
	}
	at := l.src.place(i)
	if text := l.src.text(at); text != b.Name && !strings.HasSuffix(text, "/"+b.Name) {
		return
	}
	d := Diagnostic{Message: "nothing uses " + b.Name, Fix: l.unbind(i, b), Hint: "remove it, or begin its name with _"}
	if l.src.noBody(i) {
		d.Hint, d.Fix = "the let has no body: its closing parenthesis comes after the forms that use "+b.Name, nil
	}
	l.warn(UnusedBinding, at, d)
}

// noBody reports whether a token is in the bindings of a let that has no body.
func (s *source) noBody(i int) bool {
	for i = s.within[i]; i >= 0 && s.word(i) != "("; {
		i = s.within[i]
	}
	return i >= 0 && s.word(i+1) == "let" && len(s.parts(i)) == 2
}

// unbind returns the edit that takes a binding away: its name gets a _ in front, or is taken
// out of what :keys lists, as that looks it up by its name.
func (l *linter) unbind(i int, b *compile.Binding) []Edit {
	s := l.src
	if b.Node.Kind == compile.NodeArity && s.words[":arglists"] > 0 {
		return nil // the program looks at the names of parameters
	}
	around := s.within[i]
	if around < 0 {
		return nil
	}
	listed := around > 0 && listKey(s.word(around-1))
	pattern := around
	if listed {
		pattern = s.within[around]
	}
	if pattern >= 0 && s.file.Source[s.tokens[pattern].Start] == '{' {
		for _, part := range s.parts(pattern) {
			if s.text(s.whole(part)) == ":or" { // names its keys, too
				return nil
			}
		}
	}
	if listed {
		return l.unlist(i, around)
	}
	if s.words["_"+b.Name] > 0 || strings.Contains(s.word(i), "/") {
		return nil
	}
	return l.edit(place{s.tokens[i].Start, s.tokens[i].Start}, "_")
}

// unlist returns the edit that takes a name out of the list that opens with token around.
func (l *linter) unlist(i, around int) []Edit {
	s := l.src
	if !slices.Contains(s.parts(around), i) {
		return nil // metadata stands before it, and would go to the next name
	}
	gone := s.place(i)
	if i-1 > around {
		gone.start = s.tokens[i-1].End
	} else if i+1 < s.match[around] {
		gone.end = s.tokens[i+1].Start
	}
	if strings.ContainsRune(s.text(gone), ';') {
		return nil // a comment would go with it
	}
	return l.edit(gone, "")
}

// listKey reports whether a token stands before names that are looked up.
func listKey(text string) bool {
	_, name, qualified := strings.Cut(text, "/")
	if !qualified {
		name = strings.TrimPrefix(text, ":")
	}
	return text[0] == ':' && (name == "keys" || name == "strs" || name == "syms")
}

// shadowed warns of a call of a local that has the name of a builtin, and is probably no
// function.
func (l *linter) shadowed(n *compile.Node) {
	if n.Entry != nil || n.Global >= 0 || len(n.Subs) == 0 || n.Subs[0].Kind != compile.NodeLocal {
		return
	}
	head := n.Subs[0]
	b := head.Local
	if b == nil || b.Pos == 0 || !isCore(b.Name) || b.Node.Kind == compile.NodeFn ||
		b.Node.Special == entry.SpecialLetfn || b.Init != nil && mayBeFunction(b.Init) {
		return
	}
	if at, ok := l.src.symbol(head.Form); ok {
		line, _ := l.File.LineCol(l.File.Offset(b.Pos))
		l.warn(ShadowedBuiltin, at, Diagnostic{Message: b.Name + " is a local here, bound in line " + strconv.Itoa(line) +
			", and not the builtin",
			Hint: "give the local another name, or write clojure.core/" + b.Name})
	}
}

// isCore reports whether a name is one of clojure.core.
func isCore(name string) bool {
	e := builtins.Lookup(compile.CoreNS, name)
	return e != nil && !e.Private && !e.Var
}

// mayBeFunction reports whether an expression may give a function. Calls of builtins that
// give numbers, texts and collections don't.
func mayBeFunction(n *compile.Node) bool {
	n = unwrap(n)
	switch n.Kind {
	case compile.NodeConst, compile.NodeColl, compile.NodeKeyCall:
		return false
	case compile.NodeCall:
		return n.Entry == nil || n.Entry.Purity < entry.Realises || n.Entry.Is(entry.ReturnsFns) ||
			len(n.Subs) < 2 && n.Entry.Is(entry.ReturnsFnsOfOne)
	}
	return true
}

// defined warns of a definition that hides a builtin.
func (l *linter) defined(n *compile.Node) {
	items, _ := value.RealisedItems(n.Form)
	if len(items) < 2 || n.Global < 0 {
		return
	}
	g := l.Env.Globals[n.Global]
	if !isCore(g.Name) || !l.Env.RefersCore(g.NS, g.Name) || g.NS == compile.CoreNS {
		return
	}
	if at, ok := l.src.symbol(items[1]); ok {
		l.warn(ShadowedBuiltin, at, Diagnostic{Message: "this " + g.Name +
			" hides the builtin, from here to the end of the program",
			Hint: "give it another name, or declare it: (:refer-clojure :exclude [" + g.Name + "]) in ns"})
	}
}
