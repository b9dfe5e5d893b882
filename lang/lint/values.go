// This file defines the warnings about unused values, and about forms that probably mean something else.

package lint

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/value"
)

// unwrap goes from a call of a macro to its expansion.
func unwrap(n *compile.Node) *compile.Node {
	for (n.Kind == compile.NodeMacro || n.Special == entry.SpecialFn || n.Special == entry.SpecialDo) &&
		len(n.Subs) == 1 {
		n = n.Subs[0]
	}
	return n
}

// discarded warns of an unused value whose expression has no effect.
func (l *linter) discarded(n *compile.Node) {
	if !n.Discarded || n.Parent == nil || n.Parent.Special == entry.SpecialTry {
		return
	}
	whole := n
	n, lazy := l.idle(n, false)
	if n == nil {
		l.unusedLazy(whole)
		return
	}
	at, ok := l.placeOf(n)
	if !ok {
		return
	}
	d := Diagnostic{Message: "the value is not used", Hint: "remove the form, or use its value: it has no other effect"}
	switch {
	case lazy:
		d.Message = "the value is not used, so the function is never called: the sequence is lazy"
		d.Hint = "use run! or doseq for effects"
	case n.Form.IsString():
		d.Hint = "put the docstring before the parameters"
	case n.Entry.Is(entry.Copies):
		d.Hint = "data is immutable: bind the value of " + n.Entry.Name + ", or swap! an atom"
		if l.isLoopBody(n) {
			d.Hint += "; (reduce (fn [acc x] …) init xs) builds a value in a loop"
		}
	default:
		d.Hint = cmp.Or(l.unusedHint(n), d.Hint)
	}
	l.warn(UnusedValue, at, d)
}

// idle returns the node of an expression that does nothing but to compute a value, nil if it
// may do more. lazy reports that it has a function that it does not call. again reports that
// it has been evaluated before, so that what it realises is realised.
func (l *linter) idle(n *compile.Node, again bool) (at *compile.Node, lazy bool) {
	switch n.Kind {
	case compile.NodeLocal, compile.NodeGlobal, compile.NodeEntry, compile.NodeConst:
		return n, false
	case compile.NodeColl, compile.NodeKeyCall:
		if l.allIdle(n.Subs, again) {
			return n, false
		}
	case compile.NodeMacro:
		if n.Entry == nil || len(n.Subs) != 1 || !n.Entry.Is(entry.Threads) &&
			unwrap(n).Kind != compile.NodeFn && unwrap(n).Special != entry.SpecialLet {
			return nil, false
		}
		if at, lazy := l.idle(n.Subs[0], again); at != nil {
			return n, lazy
		}
		return nil, false
	case compile.NodeSpecial:
		if n.Special == entry.SpecialFn || n.Special == entry.SpecialLet && l.allIdle(n.Subs, again) {
			return n, false
		}
	case compile.NodeCall:
		return l.idleCall(n, again)
	}
	return nil, false
}

// idleCall is idle for a call. A call that consumes a sequence triggers its pending effects, and a call
// that calls functions may be passed one with effects.
func (l *linter) idleCall(n *compile.Node, again bool) (at *compile.Node, lazy bool) {
	e := n.Entry
	if e == nil || e.Purity < entry.Realises || !strings.HasPrefix(e.NS, "clojure.") || !l.allIdle(n.Subs, again) {
		return nil, false
	}
	if e.Calls.When == entry.CallsLater {
		return n, len(n.Subs) > 1
	}
	realises := e.Purity == entry.Realises && !again || e.Calls.When != entry.CallsNone
	if realises && !l.allDone(n.Subs) {
		return nil, false
	}
	return n, false
}

// allDone reports whether no value is a sequence that has something left to do.
func (l *linter) allDone(nodes []*compile.Node) bool {
	for _, n := range nodes {
		switch n = unwrap(n); n.Kind {
		case compile.NodeConst:
		case compile.NodeCall, compile.NodeColl:
			if n.Entry != nil && n.Entry.Calls.When >= entry.CallsLater || !l.allDone(n.Subs) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// allIdle reports whether all of some expressions do nothing but to compute a value.
func (l *linter) allIdle(nodes []*compile.Node, again bool) bool {
	for _, n := range nodes {
		l.Task.Work(1)
		if at, _ := l.idle(n, again); at == nil {
			return false
		}
	}
	return true
}

// placeOf returns where a form stands that the program has itself. A constant has no place: it is found by
// its position in the body around it.
func (l *linter) placeOf(n *compile.Node) (place, bool) {
	s := l.src
	if at, ok := s.symbol(n.Form); ok {
		return at, true
	}
	if n.Form.Is(lists) {
		if open := s.written(n); open >= 0 {
			return s.whole(open), true
		}
		return place{}, false
	}
	return l.inBody(n)
}

// inBody finds a form of a body by how many forms are after it.
func (l *linter) inBody(n *compile.Node) (place, bool) {
	s, p := l.src, n.Parent
	open := s.index(p.Pos)
	if open < 0 || s.tokens[open].Kind != parser.Open || s.tokens[open+1].Kind != parser.Atom {
		return place{}, false
	}
	if !builtins.Core(s.word(open + 1)).Is(entry.EndsInBody) {
		return place{}, false
	}
	parts := s.parts(open)
	behind := 0
	if s.written(p) < 0 {
		// The macro may have put a recur or nil after the body.
		last := p.Subs[len(p.Subs)-1]
		if last.Form.IsNil() && s.text(s.whole(parts[len(parts)-1])) == "nil" {
			return place{}, false // it may be the program's own
		}
		if last.Form.IsNil() || last.Special == entry.SpecialRecur && s.written(last) < 0 {
			behind--
		}
	}
	for i := len(p.Subs) - 1; p.Subs[i] != n; i-- {
		behind++
	}
	if behind < 0 || behind >= len(parts)-2 {
		return place{}, false
	}
	i := parts[len(parts)-1-behind]
	at := s.whole(i)
	ok := n.Kind == compile.NodeColl && s.tokens[i].Kind == parser.Open
	if n.Kind == compile.NodeConst && s.tokens[i].Kind == parser.Atom {
		text := s.text(at)
		ok = n.Form.IsString() && text[0] == '"' || n.Form.IsKeyword() && text[0] == ':' ||
			n.Form.IsInt() && text[0] >= '0' && text[0] <= '9'
	}
	return at, ok
}

// singleOperand warns of a comparison with nothing.
func (l *linter) singleOperand(n *compile.Node) {
	if !n.Entry.Is(entry.TrueAlone|entry.FalseAlone) || len(n.Subs) != 1 {
		return
	}
	if open := l.src.verbatim(n); open >= 0 {
		l.warn(SingleOperand, l.src.whole(open), Diagnostic{
			Message: "(" + n.Entry.Name + " x) compares x with nothing, and is " +
				strconv.FormatBool(n.Entry.Is(entry.TrueAlone)),
			Hint: "write both operands, as in (" + n.Entry.Name + " a b)"})
	}
}

// quotedText warns of 'text', which is a symbol whose name ends with a quote.
func (l *linter) quotedText(n *compile.Node) {
	items, _ := value.RealisedItems(n.Form)
	if len(items) != 2 || !items[1].IsSymbol() {
		return
	}
	name := items[1].AsSymbol().Name
	at, ok := l.src.symbol(items[1])
	if !ok || !strings.HasSuffix(name, "'") || at.start == 0 || l.File.Source[at.start-1] != '\'' {
		return
	}
	text := strconv.Quote(strings.TrimRight(name, "'"))
	whole := place{at.start - 1, at.end}
	l.warn(QuotedText, whole, Diagnostic{Message: l.src.text(whole) + " is a symbol, and no string", Hint: "write " + text,
		Fix: l.edit(whole, text)})
}

// threaded warns of a function that a threading macro puts its value into, in place of calling it.
func (l *linter) threaded(n *compile.Node) {
	if n.Entry != builtins.Core("->>") && n.Entry != builtins.Core("->") || n.Entry == nil {
		return
	}
	open := l.src.written(n)
	if open < 0 {
		return
	}
	parts := l.src.parts(open)
	for _, part := range parts[min(2, len(parts)):] {
		if l.src.tokens[part].Kind != parser.Open {
			continue
		}
		word := l.src.word(part)
		if word != "#(" && (word != "(" || builtins.Core(l.src.word(part+1)) != builtins.Core("fn")) {
			continue
		}
		if n.Entry == builtins.Core("->>") && word == "(" && l.src.wrapsBody(part) {
			continue
		}
		at := l.src.whole(part)
		form := "(" + l.src.text(at) + ")"
		l.warn(UncalledFunction, at, Diagnostic{
			Message: n.Entry.Name + " puts its value into this function, and does not call it",
			Hint:    "a pair of parentheses around it makes a call: " + clipped(form), Fix: l.edit(at, form)})
	}
}

// inlineDef warns of a definition in a function.
func (l *linter) inlineDef(n *compile.Node) {
	if n.Special != entry.SpecialDef {
		return
	}
	items, _ := value.RealisedItems(n.Form)
	in, local := false, false
	for p := n.Parent; p != nil; p = p.Parent {
		for _, b := range p.Binds {
			local = local || p.Special == entry.SpecialLet && len(items) > 1 && items[1].IsSymbol() &&
				b.Name == items[1].AsSymbol().Name
		}
		if p.Kind == compile.NodeMacro && p.Entry != nil && p.Entry.NS == "clojure.test" {
			return
		}
		in = in || p.Kind == compile.NodeArity
	}
	if !in && !local || len(items) < 2 {
		return
	}
	at, ok := l.src.symbol(items[1])
	switch {
	case !ok:
	case !in:
		l.warn(InlineDef, at, Diagnostic{Message: "def makes a global, and the local " + l.src.text(at) + " stays as it is",
			Hint: "an atom changes: (swap! a f); reduce, or loop and recur, go on with new values"})
	default:
		l.warn(InlineDef, at, Diagnostic{Message: "a definition inside a function is global, and each call makes it again",
			Hint: "use let for a local name, an atom for state"})
	}
}
