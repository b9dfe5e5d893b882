// This file defines the warnings about functions that are passed to builtins: those that take another number of
// arguments, and calls that stand in their place.

package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// callback warns of a function that takes another number of arguments than the builtin passes.
func (l *linter) callback(n *compile.Node) {
	if n.Entry == nil || expectsFailure(n) || l.refused[n] {
		return
	}
	passed := n.Entry.Passed(len(n.Subs))
	if passed == 0 {
		return
	}
	given := n.Subs[n.Entry.Calls.First]
	fn := l.functionOf(given)
	if fn == nil {
		return
	}
	exact, rest := aritiesOf(fn)
	if slices.Contains(exact, passed) || rest >= 0 && passed >= rest || len(exact) == 0 && rest < 0 {
		return
	}
	at, ok := l.functionPlace(given)
	if !ok {
		return
	}
	d := Diagnostic{Message: fmt.Sprintf("%s calls this function with %s, and it takes %s", n.Entry.Name,
		diag.Counted(passed, "argument"), entry.Arities(exact, rest))}
	name := n.Entry.Name
	switch {
	case passed == 1 && slices.Equal(exact, []int{2}):
		d.Hint = "an element is one argument, which a pattern takes apart: (fn [[k v]] …) for the entries of a map"
		if n.Entry == builtins.Core("sort-by") {
			d.Hint = "sort-by takes the key of one element, as in (sort-by :price > coll); (sort (fn [a b] …) coll) compares two"
		}
	case passed == 1 && slices.Equal(exact, []int{0}) && strings.HasPrefix(l.src.text(at), "#("):
		d.Hint = "% is the argument in #(…); a (fn […] …) needs no #"
	case passed == 1 && slices.Equal(exact, []int{0}):
		d.Hint = "(fn [x] …) takes the element"
	case passed == 2 && n.Entry.Fusion == entry.ConsumerReduce:
		d.Hint = "(fn [acc x] …) takes the value so far and the element"
	case passed == 2 && n.Entry.Calls.Passes == 2:
		d.Hint = "(fn [i x] …) takes the index, or the value so far, and the element"
	case n.Entry.Calls.Passes == 3:
		d.Hint = "(fn [acc k v] …) takes the value so far, the key and the value"
	default:
		d.Hint = fmt.Sprintf("%s passes one element of each collection", name)
	}
	l.warn(WrongCallback, at, d)
}

// functionOf returns the function of the program that an expression is, nil if it is not known.
func (l *linter) functionOf(n *compile.Node) *compile.Node {
	t, ok := targetOf(n)
	switch {
	case !ok || t.tool != nil:
		return nil
	case t.fn != nil:
		return t.fn
	}
	if fns := l.functions(t.global); len(fns) == 1 && !l.varies(t.global) {
		return fns[0]
	}
	return nil
}

// functionPlace returns the place of a function that is passed: a name, (fn …) or #(…).
func (l *linter) functionPlace(n *compile.Node) (place, bool) {
	if at, ok := l.placeOf(n); ok {
		return at, true
	}
	for _, pos := range []int{0, 1} {
		if i := l.src.index(n.Pos); pos == 0 && i >= 0 {
			return l.src.whole(i), true
		} else if n.Pos > 1 && pos == 1 {
			if i := l.src.index(n.Pos - 1); i >= 0 && l.src.word(i) == "#(" {
				return l.src.whole(i), true
			}
		}
	}
	return place{}, false
}

// aritiesOf returns the numbers of arguments that a function takes, and the least number of those that it takes with
// more, -1 if it has no & parameter.
func aritiesOf(fn *compile.Node) (exact []int, rest int) {
	rest = -1
	for _, arity := range fn.Subs {
		items, ok := value.RealisedItems(arity.Form)
		if arity.Kind != compile.NodeArity || !ok || len(items) == 0 || !items[0].Is(value.Vectors) {
			return nil, -1
		}
		params := value.Items(items[0])
		if k := len(params); k >= 2 && params[k-2].IsSymbol() && params[k-2].AsSymbol().Name == "&" {
			rest = k - 2
		} else {
			exact = append(exact, k)
		}
	}
	slices.Sort(exact)
	return exact, rest
}

// changed warns of a call in the place of the function that changes an atom: (swap! a (conj x)).
func (l *linter) changed(n *compile.Node) {
	if n.Entry == nil || n.Entry.Purity != entry.Changes || n.Entry.Calls.Times != entry.TimesOnce || len(n.Subs) != 2 {
		return
	}
	call := unwrap(n.Subs[1])
	if call.Kind != compile.NodeCall || !call.Entry.Is(entry.Copies) && !call.Entry.Arithmetic() {
		return
	}
	open, inner := l.src.parted(n), l.src.parted(call)
	if open < 0 || inner < 0 {
		return
	}
	parts := l.src.parts(open)
	cell := l.src.text(l.src.whole(parts[1]))
	var words []string
	for i, part := range l.src.parts(inner) {
		if word := l.src.text(l.src.whole(part)); i != 1 || word != "@"+cell {
			words = append(words, word)
		}
	}
	at := l.src.whole(parts[2])
	l.refused[n] = true
	text := strings.Join(words, " ")
	l.warn(WrongCallback, at, Diagnostic{
		Message: fmt.Sprintf("%s takes a function, and this is the value of a call", n.Entry.Name),
		Hint: fmt.Sprintf("write (%s %s %s), which passes the value of %[2]s first; reset! takes a value", n.Entry.Name, cell,
			clipped(text)), Fix: l.edit(at, text)})
}
