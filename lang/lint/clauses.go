// This file defines the warnings about clauses in brackets, defaults of case, values in the place of functions, and
// loops that have no value.

package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// clausesInBrackets warns of (cond [test value] …), whose tests are vectors and so always hold. It reports whether it
// has found them.
func (l *linter) clausesInBrackets(n *compile.Node) bool {
	open := l.src.verbatim(n)
	if open < 0 {
		return false
	}
	parts := l.src.parts(open)[1:]
	var fix []Edit
	for _, part := range parts {
		if l.src.word(part) != "[" || len(l.src.parts(part)) != 2 {
			return false
		}
		fix = append(fix, l.edit(l.src.place(part), "")...)
		fix = append(fix, l.edit(l.src.place(l.src.match[part]), "")...)
	}
	if len(parts) == 0 {
		return false
	}
	l.warn(MisplacedBracket, l.src.whole(parts[0]), Diagnostic{Fix: fix,
		Message: "a vector is no clause: it is always true as a test",
		Hint:    "clauses have no brackets: (cond test value test value :else value)"})
	return true
}

// caseDefault warns of :else among strings, numbers and characters of case: it is one more constant.
func (l *linter) caseDefault(n *compile.Node) {
	open := l.src.verbatim(n)
	if open < 0 {
		return
	}
	parts := l.src.parts(open)[1:]
	last := len(parts) - 2
	if len(parts)%2 == 0 || last < 3 {
		return
	}
	word := l.src.word(parts[last])
	if word != ":else" && word != ":default" && word != ":otherwise" {
		return
	}
	for i := 1; i < last; i += 2 {
		if c := l.src.word(parts[i])[0]; c != '"' && c != '\\' && (c < '0' || c > '9') {
			return
		}
	}
	at := l.src.place(parts[last])
	l.warn(UnreachableCode, at, Diagnostic{Message: word + " is a constant of this case, and no default",
		Hint: "the default of case is its last form, alone",
		Fix:  l.edit(place{at.start, l.src.tokens[parts[last+1]].Start}, "")})
}

// calledValue warns of a call of a boolean or a number that another call returns: ((> x 1) :a).
func (l *linter) calledValue(n *compile.Node) {
	if n.Entry != nil || n.Global >= 0 || len(n.Subs) == 0 || n.Subs[0].Kind != compile.NodeCall || expectsFailure(n) {
		return
	}
	if _, ok := returned(n.Subs[0]); !ok {
		return
	}
	open := l.src.index(n.Pos)
	if open < 0 || l.src.word(open) != "(" {
		return
	}
	d := Diagnostic{Message: "can't call " + l.described(n.Subs[0]), Hint: "leave out the parentheses around it"}
	if around := l.src.within[open]; around >= 0 && builtins.Core(l.src.word(around+1)).Is(entry.TestsInOrder) {
		d.Hint = "clauses have no brackets: (cond test value test value :else value)"
		if pairs := l.src.parts(around)[1:]; l.pairs(pairs) {
			for _, part := range pairs {
				d.Fix = append(d.Fix, l.edit(l.src.place(part), "")...)
				d.Fix = append(d.Fix, l.edit(l.src.place(l.src.match[part]), "")...)
			}
		}
	}
	l.warn(WrongArgument, l.src.whole(open), d)
}

// pairs reports whether forms are lists of two forms.
func (l *linter) pairs(parts []int) bool {
	for _, part := range parts {
		if l.src.word(part) != "(" || len(l.src.parts(part)) != 2 {
			return false
		}
	}
	return true
}

// accumulator warns of reduce without a start value, whose function adds to the value so far and looks up a key in the
// element: the value so far is an element at first.
func (l *linter) accumulator(n *compile.Node) {
	if n.Entry == nil || n.Entry.Fusion != entry.ConsumerReduce || len(n.Subs) != 2 {
		return
	}
	fn := unwrap(n.Subs[0])
	if fn.Kind != compile.NodeFn || len(fn.Subs) != 1 || len(fn.Subs[0].Binds) != 2 || len(fn.Subs[0].Subs) != 1 ||
		beginsOtherwise(made(n.Subs[1])) {
		return
	}
	acc, element := fn.Subs[0].Binds[0], fn.Subs[0].Binds[1]
	body := unwrap(fn.Subs[0].Subs[0])
	if body.Kind != compile.NodeCall || !body.Entry.Arithmetic() || len(body.Subs) != 2 {
		return
	}
	sum, part := body.Subs[0], unwrap(body.Subs[1])
	for part.Kind == compile.NodeCall && part.Entry.Arithmetic() && len(part.Subs) > 0 {
		part = unwrap(part.Subs[0])
	}
	if sum.Local != acc || part.Kind != compile.NodeKeyCall || part.Subs[0].Local != element {
		return
	}
	d := Diagnostic{Message: "reduce begins with the first element here, which is a map and no number",
		Hint: "a start value stands before the collection: (reduce f 0 coll)"}
	at, ok := l.functionPlace(n.Subs[0])
	if !ok {
		return
	}
	if body.Entry.Intrinsic == entry.IntrinsicAdd {
		d.Fix = l.edit(place{at.end, at.end}, " 0")
	}
	l.warn(WrongCallback, at, d)
}

// beginsOtherwise reports whether the first element of a collection may be of another type than the others.
func beginsOtherwise(coll *compile.Node) bool {
	switch {
	case coll.Form.Is(value.Vectors) && isWritten(coll):
		items := value.Items(coll.Form)
		return len(items) == 0 || !items[0].Is(value.Maps)
	case coll.Kind == compile.NodeCall && coll.Entry != nil:
		e := coll.Entry
		return e.Is(entry.Copies) || e == builtins.Core("cons") || e == builtins.Core("concat") || e == builtins.Core("into")
	}
	return false
}

// replaced warns of a value in the place of the function of update: (update m :k 5), (update m :k (inc (:k m))).
func (l *linter) replaced(n *compile.Node) {
	if n.Entry == nil || n.Entry != builtins.Core("update") || len(n.Subs) != 3 {
		return
	}
	open := l.src.parted(n)
	given := unwrap(n.Subs[2])
	if open < 0 {
		return
	}
	parts := l.src.parts(open)
	at := l.src.whole(parts[3])
	text := l.src.text(at)
	d := Diagnostic{Message: "update takes a function, and this is a value", Fix: l.edit(l.src.whole(parts[0]), "assoc"),
		Hint: "assoc sets a value: (assoc m k v)"}
	switch {
	case given.Kind == compile.NodeConst && (given.Form.IsString() || given.Form.Is(value.Numbers)):
	case given.Kind == compile.NodeCall && (given.Entry.Arithmetic() || given.Entry.Is(entry.Copies)):
		if l.src.parted(given) < 0 || !given.Entry.Arithmetic() && len(given.Subs) > 1 {
			return
		}
		m, key := l.src.text(l.src.whole(parts[1])), l.src.text(l.src.whole(parts[2]))
		if call, ok := l.withoutFirst(given, "("+key+" "+m+")", "(get "+m+" "+key+")"); ok {
			d.Hint = fmt.Sprintf("update passes the value first: (update %s %s %s)", clipped(m), key, clipped(call))
			d.Fix = l.edit(at, call)
		}
	default:
		return
	}
	if strings.Contains(text, ";") {
		d.Fix = nil
	}
	l.refused[n] = true
	l.warn(WrongCallback, at, d)
}

// withoutFirst returns the text inside the parentheses of a call whose first argument update passes: without it, if it
// is a look-up of the old value. ok is false if the call has all of its arguments.
func (l *linter) withoutFirst(call *compile.Node, lookUps ...string) (text string, ok bool) {
	counts := call.Entry.Intrinsic == entry.IntrinsicInc || call.Entry.Intrinsic == entry.IntrinsicDec
	ok = len(call.Subs) == 0 || len(call.Subs) == 1 && !counts
	var words []string
	for i, part := range l.src.parts(l.src.parted(call)) {
		word := l.src.text(l.src.whole(part))
		if i == 1 && slices.Contains(lookUps, word) {
			ok = true
			continue
		}
		words = append(words, word)
	}
	return strings.Join(words, " "), ok
}

// noValue warns of a loop for its effects whose value is used: that is nil.
func (l *linter) noValue(n *compile.Node) {
	if !isStatement(n) {
		return
	}
	p, child := n.Parent, n
	for p != nil && p.Special == entry.SpecialDo && len(p.Subs) == 1 {
		p, child = p.Parent, p
	}
	if p == nil || !l.takesValue(p, child) {
		return
	}
	if open := l.src.written(n); open >= 0 {
		l.warn(UnusedValue, l.src.whole(open+1), Diagnostic{Message: n.Entry.Name + " returns nil, whatever its body returns",
			Hint: "(vec (for [x xs] …)) and (mapv f xs) return the values, (reduce f init xs) combines them"})
	}
}

// isStatement reports whether a node is a loop that returns nil.
func isStatement(n *compile.Node) bool {
	return n.Entry == builtins.Core("doseq") || n.Entry == builtins.Core("dotimes")
}

// takesValue reports whether a node uses the value of a part: as an argument, or as that of a name which is used.
func (l *linter) takesValue(n, part *compile.Node) bool {
	switch {
	case n.Kind == compile.NodeCall:
		return n.Entry != nil && n.Entry.Purity >= entry.Realises && l.src.written(n) >= 0 && !n.Entry.Is(entry.Texts) &&
			!expectsFailure(n) && n.Entry.Name != "nil?" && n.Entry.Intrinsic != entry.IntrinsicEqual
	case n.Special == entry.SpecialDef:
		return n.Subs[len(n.Subs)-1] == part
	case n.Special == entry.SpecialLet:
		for _, b := range n.Binds {
			if b.Init == part {
				return b.Pos != 0 && b.Name[0] != '_'
			}
		}
	}
	return false
}

// unusedHint returns a hint at what the author of an unused value probably meant, "" if that is not known.
func (l *linter) unusedHint(n *compile.Node) string {
	switch p := n.Parent; {
	case n.Form.IsKeyword() && n.Form.AsKeyword().Name == "else" && p != nil &&
		(p.Special == entry.SpecialWhen || p.Special == entry.SpecialWhenNot):
		return "when has no else: write (if test then else), or cond"
	case l.isLoopBody(n):
		return "the loop returns nil: (vec (for [x xs] …)) and (mapv f xs) return the values, " +
			"(reduce (fn [acc x] …) init xs) combines them"
	}
	return ""
}

// isLoopBody reports whether a node is in the body of doseq or dotimes, and not in that of a function inside of it.
func (l *linter) isLoopBody(n *compile.Node) bool {
	for p := n.Parent; p != nil && p.Kind != compile.NodeArity; p = p.Parent {
		if p.Kind == compile.NodeMacro && p.Entry != nil {
			return isStatement(p)
		}
	}
	return false
}

// changedAtTop warns of a changed copy of a global in the middle of the program, which nothing uses: (assoc m :a 1).
func (l *linter) changedAtTop(n *compile.Node) {
	if n.Kind != compile.NodeCall || !n.Entry.Is(entry.Copies) || len(n.Subs) == 0 ||
		n.Subs[0].Kind != compile.NodeGlobal || topLevel(n) == nil || n.Discarded || !l.unusedHere(n) {
		return
	}
	name := l.Env.Globals[n.Subs[0].Global].Name
	if open := l.src.written(n); open >= 0 && l.src.words[name] > l.src.match[open] {
		l.warn(UnusedValue, l.src.whole(open), Diagnostic{Message: "the value is not used, and " + name + " does not change",
			Hint: "data is immutable: bind the value of " + n.Entry.Name + ", or swap! an atom"})
	}
}
