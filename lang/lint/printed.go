// This file defines the warnings about values that str, println and format write in another way than was meant, and
// about functions of several values that get one collection.

package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/value"
)

// made returns the expression whose value an expression has: that of the local which it names.
func made(n *compile.Node) *compile.Node {
	for range maxAliases {
		n = inThreads(n)
		if n.Kind != compile.NodeLocal || n.Local == nil || n.Local.Init == nil ||
			n.Local.Node.Special == entry.SpecialLoop {
			break
		}
		n = n.Local.Init
	}
	return n
}

// lazyText warns of a lazy sequence that str writes as the name of its class.
func (l *linter) lazyText(n *compile.Node) {
	switch {
	case n.Entry == nil || n.Entry == builtins.Lookup("clojure.string", "join"):
		return
	case n.Entry.NS == "clojure.string" && len(n.Subs) > 0 && isLazy(made(n.Subs[0])):
		if at, ok := l.placeOf(n.Subs[0]); ok && !expectsFailure(n) {
			l.warn(WrongArgument, at, Diagnostic{Message: n.Entry.Name + " takes a string, and not a sequence of them",
				Hint: "(map str/" + n.Entry.Name + " xs) takes each, (str/join \", \" xs) makes one string"})
		}
		return
	case n.Entry != builtins.Core("str") || inTest(n):
		return
	}
	for _, sub := range n.Subs {
		if !isLazy(made(sub)) {
			continue
		}
		d := Diagnostic{Message: "str writes a lazy sequence as the name of its class",
			Hint: `(apply str xs) joins its elements, (str/join ", " xs) writes commas between them, (pr-str xs) a list`}
		if open := l.src.verbatim(n); open >= 0 && len(n.Subs) == 1 {
			d.Fix = l.edit(place{l.src.tokens[open].End, l.src.tokens[open].End}, "apply ")
		}
		at, ok := l.placeOf(sub)
		if !ok {
			at, ok = l.placeOf(n)
		}
		if ok {
			l.warn(WrongArgument, at, d)
		}
		return
	}
}

// directives are the patterns of a directive of format, of one that is certainly none of a URL or a date, and of the
// place of a value in the formats of other languages.
type directives struct{ any, plain, foreign *regexp.Regexp }

var formats = sync.OnceValue(func() (d directives) {
	d.any = regexp.MustCompile(`%[-#+ 0,(]*\d*(?:\.\d+)?(?:[tT])?[a-zA-Z%]`)
	d.plain = regexp.MustCompile(`%(?:-?\d*\.\d+f|-\d+[sd]|[sdf%])(?:\W|$)`)
	d.foreign = regexp.MustCompile(`\{\d*(?::(\.\d+f|d|s))?\}`)
	return d
})

// valuesOf returns how many values the directives of a text take; ok is false if the text has something else.
func valuesOf(text string, pattern *regexp.Regexp) (n int, ok bool) {
	found := pattern.FindAllString(text, -1)
	marks := 0
	for _, one := range found {
		marks += strings.Count(one, "%")
		if !strings.HasPrefix(one, "%%") && !strings.HasSuffix(one, "n") {
			n++
		}
	}
	return n, marks == strings.Count(text, "%") && !strings.ContainsAny(text, "$<")
}

// withDirectives returns a format with directives in the places of values of other languages, such as {} and
// {:.2f}, and their number: 0 if they are numbered in another order than that of the values.
func withDirectives(text string) (with string, holes int) {
	with = text
	for i, hole := range formats().foreign.FindAllString(text, -1) {
		number, kind, ok := strings.Cut(strings.Trim(hole, "{}"), ":")
		if number != "" && number != strconv.Itoa(i) {
			return text, 0
		}
		if !ok {
			kind = "s"
		}
		with = strings.Replace(with, hole, "%"+kind, 1)
		holes++
	}
	return with, holes
}

// isNoText reports whether an expression is no literal string.
func isNoText(n *compile.Node) bool { return n.Kind != compile.NodeConst || !n.Form.IsString() }

// formatted warns of values that format leaves out, and of directives in a text that is not formatted.
func (l *linter) formatted(n *compile.Node) {
	if n.Entry == nil || len(n.Subs) < 2 || n.Subs[0].Kind != compile.NodeConst || !n.Subs[0].Form.IsString() {
		return
	}
	text, values := n.Subs[0].Form.AsString().S, len(n.Subs)-1
	open := l.src.parted(n)
	if open < 0 || inTest(n) {
		return
	}
	parts := l.src.parts(open)
	at := l.src.whole(parts[1])
	switch {
	case n.Entry == builtins.Core("format"), n.Entry == builtins.Core("printf"):
		takes, ok := valuesOf(text, formats().any)
		if !ok || takes >= values {
			return
		}
		d := Diagnostic{Message: fmt.Sprintf("%s leaves values out: the text takes %d, and gets %d", n.Entry.Name, takes,
			values), Hint: "%s is the place of a value, %d of an integer, %.2f of a double"}
		if with, holes := withDirectives(l.src.text(at)); holes == values && !strings.Contains(text, "%") {
			d.Fix = l.edit(at, with)
		}
		l.warn(WrongArgument, at, d)
	case n.Entry.Is(entry.Texts) && n.Entry.Purity < entry.Realises: // it prints
		takes, ok := valuesOf(text, formats().plain)
		if !ok || takes != values || !slices.ContainsFunc(n.Subs[1:], isNoText) {
			return
		}
		call := "(format " + l.src.text(l.from(parts[1], parts[len(parts)-1])) + ")"
		l.warn(WrongArgument, at, Diagnostic{Message: n.Entry.Name + " writes a directive as it is",
			Hint: "format puts values into a text: " + clipped("("+n.Entry.Name+" "+call+")"),
			Fix:  l.edit(l.from(parts[1], parts[len(parts)-1]), call)})
	}
}

// ranks reports whether a builtin calls its function with each of the arguments after it.
func ranks(e *entry.Entry) bool {
	return e == builtins.Core("max-key") || e == builtins.Core("min-key")
}

// isKind reports whether a value is certainly of some kinds.
func isKind(n *compile.Node, of value.KindSet) bool {
	kinds, ok := kindOf(made(n))
	return ok && kinds&^of == 0
}

// spread warns of a function of several values that gets one value, which is probably a collection: (max xs).
func (s *shapes) spread(n *compile.Node) {
	e := n.Entry
	adds := e.Intrinsic == entry.IntrinsicAdd || e.Intrinsic == entry.IntrinsicMul
	chooses, keyed := e == builtins.Core("max") || e == builtins.Core("min"), ranks(e)
	if !(adds || chooses) && !keyed || keyed && len(n.Subs) != 2 || !keyed && len(n.Subs) != 1 || s.refused[n] {
		return
	}
	last := n.Subs[len(n.Subs)-1]
	coll := s.isColl(last)
	items, _ := value.RealisedItems(n.Form)
	at, ok := s.src.symbol(items[0])
	if !ok || adds && (!coll || expectsFailure(n)) {
		return
	}
	verbatim := s.src.verbatim(n) >= 0
	if of := s.of(last, 0); keyed && isKind(last, value.Maps) || isKind(last, value.Numbers) || of != nil &&
		(of.scalar() || keyed && of.Type == "object") {
		return
	}
	if !coll && (!verbatim || last.Kind != compile.NodeLocal && last.Kind != compile.NodeGlobal) {
		return
	}
	call := "apply " + e.Name
	if adds {
		call = "reduce " + e.Name
	}
	d := Diagnostic{Message: e.Name + " of one value is that value",
		Hint: "(" + call + " xs) takes the values of a collection"}
	if keyed {
		d.Hint = "(" + call + " f xs) takes the values of a collection"
	}
	code := SingleOperand
	if adds {
		code, d.Message = WrongArgument, e.Name+" takes numbers, and gets a collection"
	}
	i := s.src.at(at.start)
	inList := i > 0 && isOpening(s.src.word(i-1))
	switch last := threadsOf(n); {
	case coll && verbatim:
		d.Fix = s.edit(at, call)
	case coll && last != nil && last.Entry == builtins.Core("->>") && inList:
		d.Fix = s.edit(at, call)
	case coll && last != nil && last.Entry == builtins.Core("->>"):
		d.Fix = s.edit(at, "("+call+")")
	}
	s.warn(code, at, d)
}

// isColl reports whether a value is certainly a collection or a lazy sequence.
func (s *shapes) isColl(n *compile.Node) bool {
	from := made(n)
	if isLazy(from) {
		return true
	}
	if isKind(from, value.Colls) {
		return true
	}
	of := s.of(n, 0)
	return of != nil && (of.Type == "array" || of.Items != nil)
}

// posixClasses warns of [[:alpha:]] in a pattern, which is a class of these characters in Java.
func (l *linter) posixClasses() {
	for i, t := range l.src.tokens {
		text := l.src.word(i)
		if t.Kind != parser.Atom || !strings.HasPrefix(text, `#"`) || !strings.Contains(text, "[:") {
			continue
		}
		for name, class := range map[string]string{"alpha": "Alpha", "digit": "Digit", "alnum": "Alnum", "space": "Space",
			"upper": "Upper", "lower": "Lower", "punct": "Punct"} {
			if from := strings.Index(text, "[:"+name+":]"); from >= 0 {
				at := place{t.Start + from, t.Start + from + len(name) + 4}
				l.warn(WrongArgument, at, Diagnostic{Message: "[:" + name + ":] is a class of the characters between its brackets",
					Hint: `write \p{` + class + "}", Fix: l.edit(at, `\p{`+class+"}")})
			}
		}
	}
}

// group warns of a replacement with \1, which is the digit: a group of the pattern is $1.
func (l *linter) group(n *compile.Node) {
	e := n.Entry
	first := e == builtins.Lookup("clojure.string", "replace-first")
	if e == nil || !first && e != builtins.Lookup("clojure.string", "replace") || len(n.Subs) != 3 ||
		n.Subs[1].Form.IsString() || n.Subs[2].Kind != compile.NodeConst || !n.Subs[2].Form.IsString() {
		return
	}
	open := l.src.parted(n)
	if open < 0 || l.src.tokens[l.src.parts(open)[2]].Kind != parser.Atom || l.src.word(l.src.parts(open)[2])[0] != '#' {
		return
	}
	at := l.src.whole(l.src.parts(open)[3])
	text := l.src.text(at)
	pairs := []string{`\\\\`, `\\\\`} // a backslash, which is not that of a digit after it
	for _, digit := range "123456789" {
		pairs = append(pairs, `\\`+string(digit), "$"+string(digit))
	}
	if with := strings.NewReplacer(pairs...).Replace(text); with != text {
		l.warn(WrongArgument, at, Diagnostic{Message: "a backslash makes a digit of a replacement the digit, and no group",
			Hint: "write " + with, Fix: l.edit(at, with)})
	}
}
