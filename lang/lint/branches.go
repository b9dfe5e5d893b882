// This file defines the warnings about constant tests and unreachable code.

package lint

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// truth is the known value of a test.
type truth uint8

const (
	either truth = iota
	always
	never
)

func (t truth) String() string { return [...]string{"either", "true", "false"}[t] }

// scalars are the constants that a test can be by mistake.
var scalars = value.Kinds(value.KindInt, value.KindFloat, value.KindString, value.KindKeyword, value.KindChar)

// truthOf returns the truth of a test that does not depend on anything.
func truthOf(n *compile.Node) truth {
	switch {
	case n.Kind == compile.NodeColl:
		return always
	case n.Kind == compile.NodeMacro && n.Entry != nil && unwrap(n).Kind == compile.NodeFn:
		return always
	case neverNil(n):
		return always
	case n.Special == entry.SpecialOr && len(n.Subs) > 1 && n.Subs[len(n.Subs)-1].Form.Is(scalars) &&
		n.Subs[len(n.Subs)-1].Kind == compile.NodeConst:
		return always
	case n.Kind != compile.NodeConst:
		return either
	}
	return formTruth(n.Form)
}

// neverNil reports whether an expression returns a lazy sequence or a number, which are true even if they are empty
// or 0.
func neverNil(n *compile.Node) bool {
	if isLazy(n) {
		return true
	}
	return n.Kind == compile.NodeCall && n.Entry != nil && (n.Entry.Fusion == entry.ConsumerCount ||
		n.Entry.Arithmetic() && !n.Entry.Compares())
}

// formTruth returns the truth of a form that is its own value.
func formTruth(form value.Value) truth {
	switch {
	case form.IsNil() || form == value.False:
		return never
	case form == value.True, form.Is(scalars):
		return always
	}
	return either
}

// testHint returns a hint about the probable meaning of a test.
func testHint(n *compile.Node) string {
	switch {
	case n.Special == entry.SpecialOr:
		return "or returns a value that is true by itself: (or (= x 1) (= x 2)), or (contains? #{1 2} x)"
	case isLazy(n):
		return "a sequence is true, empty or not: (seq coll) is a test for elements"
	case n.Kind == compile.NodeCall:
		return "a number is true, 0 as well: (pos? n) is a test"
	case n.Kind == compile.NodeColl:
		return "a collection is true, empty or not: (seq coll) is a test for elements"
	case n.Form.IsString() || n.Form.IsInt():
		return "all but nil and false are true, 0 and \"\" as well"
	}
	return ""
}

// special looks at a special form that the program has itself.
func (l *linter) special(n *compile.Node) {
	l.afterEnd(n)
	l.inlineDef(n)
	if n.Special == entry.SpecialQuote {
		l.quotedText(n)
	}
	if n.Special == entry.SpecialDef {
		l.defined(n)
	}
	if l.src.written(n) < 0 {
		return
	}
	switch n.Special {
	case entry.SpecialIf, entry.SpecialWhen, entry.SpecialWhenNot:
		l.constantTest(n)
	case entry.SpecialAnd, entry.SpecialOr:
		l.constantOperand(n)
		l.infix(n)
	}
	if n.Special == entry.SpecialIf {
		l.duplicates(n)
	}
}

// macro looks at a call of a macro that the program has itself.
func (l *linter) macro(n *compile.Node) {
	l.threaded(n)
	if n.Entry == nil {
		return
	}
	l.noValue(n)
	if n.Entry == builtins.Core("case") {
		l.caseDefault(n)
	}
	if n.Entry.Is(entry.TestsInOrder) && !l.clausesInBrackets(n) {
		l.cond(n)
		l.duplicates(unwrap(n))
	}
}

func (l *linter) constantTest(n *compile.Node) {
	if len(n.Subs) == 0 {
		return
	}
	test := n.Subs[0]
	if l.isEmptied(test); truthOf(test) == either {
		return
	}
	t := truthOf(test)
	open := l.src.written(n)
	parts := l.src.parts(open)
	d := Diagnostic{Message: "the test is always " + t.String(), Hint: testHint(test)}
	items, _ := value.RealisedItems(n.Form)
	if len(parts) != len(items) || len(parts) < 3 || neverNil(test) || test.Special == entry.SpecialOr {
		at := l.src.whole(open)
		if len(parts) == len(items) && len(parts) > 1 {
			at = l.src.whole(parts[1])
		}
		l.warn(ConstantTest, at, d) // without a fix, since another test was meant
		return
	}
	taken := (t == always) != (n.Special == entry.SpecialWhenNot)
	switch {
	case n.Special == entry.SpecialIf && taken && len(parts) == 4:
		d.Message += ", and this is never reached"
		d.Fix = l.replace(open, parts[2])
		l.warn(UnreachableCode, l.src.whole(parts[3]), d)
	case n.Special == entry.SpecialIf && !taken:
		d.Message += ", and this is never reached"
		if len(parts) == 4 {
			d.Fix = l.replace(open, parts[3])
		}
		l.warn(UnreachableCode, l.src.whole(parts[2]), d)
	case !taken:
		d.Message += ", and this is never reached"
		l.warn(UnreachableCode, l.from(parts[2], parts[len(parts)-1]), d)
	default:
		l.warn(ConstantTest, l.src.whole(parts[1]), d)
	}
}

// isEmptied warns of a test by empty, which returns a collection.
func (l *linter) isEmptied(test *compile.Node) {
	open := l.src.verbatim(test)
	if test.Kind != compile.NodeCall || test.Entry != builtins.Core("empty") || open < 0 {
		return
	}
	at := l.src.whole(l.src.parts(open)[0])
	l.warn(ConstantTest, at, Diagnostic{Message: "empty returns an empty collection, which is true as a test",
		Hint: "(empty? coll) is a test", Fix: l.edit(at, "empty?")})
}

// from returns the place from one form to another.
func (l *linter) from(first, last int) place {
	return place{l.src.tokens[first].Start, l.src.whole(last).end}
}

// replace returns the edits that put a part of a form in the place of the form, apart from
// what stands beside that; none if a comment would be lost.
func (l *linter) replace(open, part int) []Edit {
	text, whole, kept := l.File.Source, l.src.whole(open), l.src.whole(part)
	if strings.ContainsRune(text[whole.start:kept.start]+text[kept.end:whole.end], ';') {
		return nil
	}
	before, behind := "", ""
	if whole.start > 0 && !strings.ContainsRune(" \t\r\n,([{'@`~", rune(text[whole.start-1])) {
		before = " "
	}
	if whole.end < len(text) && !strings.ContainsRune(" \t\r\n,)]}", rune(text[whole.end])) {
		behind = " "
	}
	return []Edit{{l.span(place{whole.start, kept.start}), before}, {l.span(place{kept.end, whole.end}), behind}}
}

// constantOperand warns of what and, or never come to.
func (l *linter) constantOperand(n *compile.Node) {
	open := l.src.verbatim(n)
	if open < 0 {
		return
	}
	parts := l.src.parts(open)
	for i, sub := range n.Subs {
		t := truthOf(sub)
		if i == len(n.Subs)-1 || t == either || (t == always) != (n.Special == entry.SpecialOr) {
			continue
		}
		l.warn(UnreachableCode, l.from(parts[i+2], parts[len(parts)-1]), Diagnostic{
			Message: "never reached: the expression before it is always " + t.String(), Hint: testHint(sub)})
		return
	}
}

// cond warns of clauses after one that always holds, and of those that never do.
func (l *linter) cond(n *compile.Node) {
	open := l.src.verbatim(n)
	if open < 0 {
		return
	}
	parts := l.src.parts(open)
	items, _ := value.RealisedItems(n.Form)
	for i := 1; i+1 < len(items); i += 2 {
		switch t := condTruth(items[i]); {
		case t == never:
			l.warn(UnreachableCode, l.src.whole(parts[i+1]),
				Diagnostic{Message: "the test is always false, and this is never reached"})
		case t == always && i+2 < len(items):
			gone := l.from(parts[i+2], parts[len(parts)-1])
			d := Diagnostic{Message: "never reached: the test " + l.src.text(l.src.whole(parts[i])) +
				" before it is always true",
				Hint: "put the clause whose test is always true last"}
			cut := place{l.src.whole(parts[i+1]).end, gone.end}
			if !strings.ContainsRune(l.src.text(cut), ';') {
				d.Fix = l.edit(cut, "")
			}
			l.warn(UnreachableCode, gone, d)
			return
		}
	}
}

// condTruth is formTruth for the test of a clause.
func condTruth(form value.Value) truth {
	if form.Is(value.Vectors) || form.Is(value.Maps) || form.Is(value.Sets) {
		return always
	}
	return formTruth(form)
}

// afterEnd warns of forms of a body after one that ends it.
func (l *linter) afterEnd(n *compile.Node) {
	for i, sub := range n.Subs {
		if !sub.Discarded || i+1 == len(n.Subs) {
			continue
		}
		how, ok := l.ends(sub)
		if !ok {
			continue
		}
		if at, ok := l.placeOf(n.Subs[i+1]); ok {
			l.warn(UnreachableCode, at, Diagnostic{Message: "never reached: " + how + " before it ends the evaluation"})
		}
		return
	}
}

// ends says by what an expression never returns a value.
func (l *linter) ends(n *compile.Node) (how string, ok bool) {
	switch n.Kind {
	case compile.NodeMacro:
		if len(n.Subs) == 1 {
			return l.ends(n.Subs[0])
		}
	case compile.NodeCall:
		if n.Entry.Is(entry.NeverReturns) {
			return n.Entry.Name, true
		}
	case compile.NodeSpecial:
		switch n.Special {
		case entry.SpecialThrow:
			return "throw", true
		case entry.SpecialDo, entry.SpecialLet:
			if len(n.Subs) > 0 {
				return l.ends(n.Subs[len(n.Subs)-1])
			}
		}
	}
	return "", false
}
