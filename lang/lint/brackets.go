// This file defines the warnings about names that a bracket touches, as other languages write elements and calls, and
// about functions that are not called.

package lint

import (
	"fmt"
	"strings"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/parser"
)

// touching warns of a symbol that a bracket or a string follows without a blank: xs[0] and print("x") are two forms
// each.
func (l *linter) touching(n *compile.Node) {
	s := l.src
	at, ok := s.symbol(n.Form)
	if !ok {
		return
	}
	i := s.at(at.start)
	if i+1 >= len(s.tokens) || s.tokens[i+1].Start != at.end || s.tokens[i+1].Kind == parser.Close {
		return
	}
	if i > 0 && isOpening(s.word(i-1)) {
		return
	}
	name, whole := s.word(i), place{at.start, s.whole(i + 1).end}
	inside := l.inside(i + 1)
	switch next := s.word(i + 1); {
	case next == "[" && l.element(n, i+1):
		get := "get"
		if c := inside[0]; c >= '0' && c <= '9' {
			get = "nth"
		}
		form := fmt.Sprintf("(%s %s %s)", get, name, inside)
		l.warn(MisplacedBracket, whole, Diagnostic{
			Message: name + "[" + inside + "] is two values: " + name + ", and a vector",
			Hint:    "an element is " + form, Fix: l.edit(whole, form)})
	case next == "(" && l.unusedHere(n):
		form := "(" + strings.TrimSpace(name+" "+inside) + ")"
		l.warn(MisplacedBracket, whole, Diagnostic{Message: name + " is not called: the list after it is a form of its own",
			Hint: "the parenthesis comes first: " + clipped(form), Fix: l.edit(whole, form)})
	case next[0] == '"' && l.unusedHere(n):
		form := "(" + name + " " + next + ")"
		l.warn(MisplacedBracket, whole, Diagnostic{Message: name + " is not called: the string after it is a form of its own",
			Hint: "a call has parentheses: " + clipped(form), Fix: l.edit(whole, form)})
	}
}

// isOpening reports whether a token opens a list, so that the next one is its head.
func isOpening(word string) bool { return word == "(" || word == "#(" }

// element reports whether a vector after a name is meant to choose an element: the name is that of a value, as far as
// is known, and the vector has one part.
func (l *linter) element(n *compile.Node, open int) bool {
	if l.src.tokens[open].Kind != parser.Open || len(l.src.parts(open)) != 1 {
		return false
	}
	switch n.Kind {
	case compile.NodeGlobal:
		return l.isData(n) || len(l.functions(n.Global)) == 0
	case compile.NodeLocal:
		_, fn := targetOf(n)
		return !fn
	}
	return false
}

// isData reports whether a node is an input.
func (l *linter) isData(n *compile.Node) bool {
	return n.Kind == compile.NodeGlobal && n.Global >= 0 && l.Env.Globals[n.Global].NS == compile.DataNS
}

// unusedHere reports whether nothing uses the value of a node: it stands in the middle of a body, or of the program.
func (l *linter) unusedHere(n *compile.Node) bool {
	if n.Discarded {
		return true
	}
	top := topLevel(n)
	return top != nil && l.Tree.Subs[len(l.Tree.Subs)-1] != top
}

// topLevel returns the node below the root that a node is the whole of; nil if it is a part of a form.
func topLevel(n *compile.Node) *compile.Node {
	for p := n.Parent; p != nil; n, p = p, p.Parent {
		if p.Kind == compile.NodeRoot {
			return n
		}
		if p.Special != entry.SpecialDo || len(p.Subs) != 1 {
			return nil
		}
	}
	return nil
}

// uncalled warns of a function that stands alone at the top of the program, where its value is not used.
func (l *linter) uncalled(n *compile.Node) {
	if topLevel(n) == nil || !l.unusedHere(n) {
		return
	}
	isFn := n.Kind == compile.NodeEntry || n.Kind == compile.NodeTool || n.Kind == compile.NodeGlobal &&
		len(l.functions(n.Global)) > 0
	if at, ok := l.src.symbol(n.Form); ok && isFn && !l.touched(at) {
		name := l.src.text(at)
		l.warn(UnusedValue, at, Diagnostic{Message: name + " is not called here", Hint: "a call has parentheses: (" + name +
			" …)"})
	}
}

// touched reports whether a token follows a place without a blank.
func (l *linter) touched(at place) bool { return l.src.at(at.end) >= 0 }

// clipped cuts a form for a hint.
func clipped(form string) string {
	form = strings.Join(strings.Fields(form), " ")
	if len(form) > 80 {
		return strings.ToValidUTF8(form[:80], "") + "…"
	}
	return form
}

// inside returns the text between the brackets of which the first is a token; that of another token itself.
func (l *linter) inside(i int) string {
	if l.src.tokens[i].Kind != parser.Open {
		return l.src.word(i)
	}
	return strings.TrimSpace(l.src.text(place{l.src.tokens[i].End, l.src.tokens[l.src.match[i]].Start}))
}

// functions returns the functions that a global is defined as.
func (l *linter) functions(global int) []*compile.Node { return l.graph.defined[global] }
