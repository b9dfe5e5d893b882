// This file defines the warnings about arguments that a builtin surely refuses, and about those that probably mean
// something else.

package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/value"
)

// kindOf returns the kind of value that an expression has, as far as the source shows it: that of a literal or
// of a function.
func kindOf(n *compile.Node) (kinds value.KindSet, ok bool) {
	n = unwrap(n)
	switch {
	case n.Kind == compile.NodeFn:
		return value.Kinds(value.KindFn), true
	case n.Kind == compile.NodeEntry && n.Entry != nil && !n.Entry.Var && (n.Entry.Fn != nil || n.Entry.Source != ""):
		return value.Kinds(value.KindFn), true
	case n.Kind == compile.NodeConst && n.Form.Is(scalars), n.Kind == compile.NodeConst && n.Form.IsNil(),
		n.Kind == compile.NodeConst && n.Form.Is(value.Kinds(value.KindBool)):
		return value.Kinds(n.Form.Kind()), true
	case n.Kind == compile.NodeCall:
		return returned(n)
	case n.Kind == compile.NodeColl || n.Kind == compile.NodeConst && n.Form.Is(value.Vectors|value.Maps|value.Sets):
		return value.Kinds(n.Form.Kind()), true
	}
	return 0, false
}

// returned returns the kinds of the values that a call of a builtin returns, if they are always numbers or booleans.
func returned(n *compile.Node) (kinds value.KindSet, ok bool) {
	e := n.Entry
	switch {
	case e == nil || e.Macro != nil:
		return 0, false
	case e.Intrinsic == entry.IntrinsicInc, e.Intrinsic == entry.IntrinsicDec:
		return value.Numbers, true
	case len(n.Subs) != 2 && !strings.HasSuffix(e.Name, "?"):
		return 0, false
	case e.Compares(), e.Intrinsic == entry.IntrinsicEqual, e.Intrinsic == entry.IntrinsicNotEqual,
		e.NS == entry.CoreNS && strings.HasSuffix(e.Name, "?"):
		return value.Kinds(value.KindBool), true
	case e.Arithmetic():
		return value.Numbers, true
	}
	return 0, false
}

// described returns the words for a value whose kind the source shows.
func (l *linter) described(n *compile.Node) string {
	switch n = unwrap(n); {
	case n.Kind == compile.NodeFn:
		return "a function"
	case n.Kind == compile.NodeEntry:
		return "the function " + n.Entry.Name
	case n.Kind == compile.NodeCall:
		if kinds, _ := returned(n); kinds == value.Numbers {
			return "the number that " + n.Entry.Name + " returns"
		}
		return "the boolean that " + n.Entry.Name + " returns"
	}
	return value.Describe(l.Task, n.Form)
}

// wrongArgument warns of an argument that the builtin refuses whatever the other ones are.
func (l *linter) wrongArgument(n *compile.Node) {
	open := l.src.parted(n)
	if open < 0 {
		open = l.src.written(n)
	}
	if open >= 0 && l.src.word(open) == "#(" && isThunk(n.Parent) { // it may be called where its failure is caught
		return
	}
	if n.Entry == nil || open < 0 || expectsFailure(n) || l.refused[n] {
		return
	}
	parts := l.src.parts(open)
	if len(parts) != len(n.Subs)+1 { // a step of a threading macro
		parts = nil
	}
	for i, sub := range n.Subs {
		kinds, ok := kindOf(sub)
		if !ok {
			continue
		}
		want := n.Entry.Refuses(len(n.Subs), i, kinds)
		if want == "" || want == "a collection" && strings.Contains(l.File.Source, "CollReduce") { // which any type may have
			continue
		}
		at := l.src.whole(open)
		d := Diagnostic{Message: fmt.Sprintf("%s: got %s, want %s", n.Entry.Name, l.described(sub), want),
			Hint: l.argumentHint(n, i)}
		if parts != nil {
			at = l.src.whole(parts[i+1])
			if form, fix := l.inOrder(n, parts); form != "" {
				d.Hint, d.Fix = "check the order of the arguments: "+clipped(form), fix
			}
		} else if form, fix := l.otherEnd(n, open); form != "" {
			d.Hint, d.Fix = threadsOf(n).Entry.Name+" puts its value at the other end: write the step "+clipped(form), fix
		}
		if want == "a regex" && sub.Kind == compile.NodeConst && sub.Form.IsString() && d.Fix == nil {
			d.Hint = "a regex is written with # before the string: #\"…\""
			if parts != nil && !strings.ContainsAny(sub.Form.AsString().S, "\"\\\n\r\t") {
				text := `#"` + regexp.QuoteMeta(sub.Form.AsString().S) + `"`
				d.Hint, d.Fix = "a regex is written with # before the string: "+text, l.edit(at, text)
			}
		}
		l.refused[n] = true
		l.warn(WrongArgument, at, d)
		return
	}
}

// isThunk reports whether a node is a function without parameters.
func isThunk(n *compile.Node) bool {
	if n == nil || n.Kind != compile.NodeArity {
		return false
	}
	return len(n.Binds) == 0
}

// expectsFailure reports whether a call stands where it may be meant to fail: in a try, or in a test.
func expectsFailure(n *compile.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Special == entry.SpecialTry || isTest(p) {
			return true
		}
	}
	return false
}

// isTest reports whether a node is a macro of clojure.test.
func isTest(n *compile.Node) bool {
	return n.Kind == compile.NodeMacro && n.Entry != nil && n.Entry.NS == "clojure.test"
}

// inTest reports whether a node is in a test, which may show what a value is not.
func inTest(n *compile.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if isTest(p) {
			return true
		}
	}
	return false
}

// argumentHint returns a hint about the probable meaning of a wrong argument.
func (l *linter) argumentHint(n *compile.Node, i int) string {
	sub := unwrap(n.Subs[i])
	text := ""
	if at, ok := l.placeOf(sub); ok {
		text = l.src.text(at)
	} else if sub.Kind == compile.NodeConst {
		text = value.Show(l.Task, sub.Form)
	}
	names := n.Entry.ParameterNames(len(n.Subs))
	call := n.Entry.Calls
	function := call.Times != entry.TimesUnknown && i >= int(call.First) && i <= int(call.Last)
	switch {
	case sub.Kind == compile.NodeCall && function && text != "":
		return "a function makes the call for each element: " + clipped(l.predicate(sub))
	case i > 0 && text != "" && i < len(names) && names[i] == "ks":
		return "a path is a vector of keys: [" + text + "]"
	case function && sub.Form.IsString():
		return fmt.Sprintf("keys of the input are keywords: (%s :%s …); a string key is #(get %% %s)", n.Entry.Name,
			strings.ReplaceAll(sub.Form.AsString().S, " ", "-"), text)
	case n.Entry.Arithmetic() && len(n.Subs) == 1:
		return "(reduce " + n.Entry.Name + " xs) takes the values of a collection"
	case n.Entry.Arithmetic() && sub.Form.IsKeyword():
		return fmt.Sprintf("a key is looked up in a map: #(%s (%s %%) …) is a function of an element", n.Entry.Name, text)
	case n.Entry.Arithmetic() && sub.Form.IsString():
		return value.NumberHint(sub.Form)
	case len(n.Subs) > 1:
		return "check the order of the arguments: (" + n.Entry.Name + " " +
			strings.Join(n.Entry.ParameterNames(len(n.Subs)), " ") + ")"
	}
	return ""
}

// predicate writes a call as a function of an element, in which keywords look up its parts.
func (l *linter) predicate(n *compile.Node) string {
	open := l.src.parted(n)
	if open < 0 {
		return "#(…)"
	}
	words := []string{n.Entry.Name}
	for i, part := range l.src.parts(open)[1:] {
		word := l.src.text(l.src.whole(part))
		if n.Subs[i].Kind == compile.NodeConst && n.Subs[i].Form.IsKeyword() && i == 0 {
			word = "(" + word + " %)"
		}
		words = append(words, word)
	}
	return "#(" + strings.Join(words, " ") + ")"
}

// operators warns of an operator among printed values: (str "a" + "b").
func (l *linter) operators(n *compile.Node) {
	if !n.Entry.Is(entry.Texts) || len(n.Subs) < 2 {
		return
	}
	for _, sub := range n.Subs {
		if sub.Kind != compile.NodeEntry || !sub.Entry.Arithmetic() {
			continue
		}
		at, ok := l.src.symbol(sub.Form)
		if !ok {
			continue
		}
		d := Diagnostic{Message: fmt.Sprintf("%s is an argument of %s, which writes it as a function", sub.Entry.Name,
			n.Entry.Name), Hint: fmt.Sprintf("%s writes all its arguments, so leave %s out; (%[2]s a b) computes",
			n.Entry.Name, sub.Entry.Name)}
		i := l.src.at(at.start)
		if sub.Entry.Intrinsic == entry.IntrinsicAdd && i > 0 && l.src.tokens[i-1].Kind != parser.Open {
			d.Fix = l.edit(place{l.src.tokens[i-1].End, at.end}, "")
		}
		l.warn(WrongArgument, at, d)
		return
	}
}

// infix warns of an operator between the operands of and, or or: (and x > 1 x < 9).
func (l *linter) infix(n *compile.Node) {
	for i, sub := range n.Subs { // (or f <) chooses a function
		if at, ok := l.src.symbol(sub.Form); ok && sub.Kind == compile.NodeEntry && sub.Entry.Arithmetic() && i > 0 &&
			i+1 < len(n.Subs) {
			l.warn(WrongArgument, at, Diagnostic{Message: sub.Entry.Name + " is a function here, which is true as a test",
				Hint: "the function comes first: (" + sub.Entry.Name + " a b)"})
			return
		}
	}
}

// stringCode warns of a comparison of a string with the code of an error, which is a keyword.
func (l *linter) stringCode(n *compile.Node) {
	if !n.Entry.Is(entry.TrueAlone|entry.FalseAlone) || len(n.Subs) != 2 ||
		l.src.words[":code"] > 0 && l.codesAreStrings() {
		return
	}
	for i, sub := range n.Subs {
		if sub.Kind != compile.NodeConst || !sub.Form.IsString() || !isErrorCode(n.Subs[1-i], 0) {
			continue
		}
		open := l.src.verbatim(n)
		if open < 0 {
			return
		}
		at := l.src.whole(l.src.parts(open)[i+1])
		d := Diagnostic{Message: "a code is a keyword, so it is never equal to a string"}
		if text := sub.Form.AsString().S; plainName(text) {
			d.Hint, d.Fix = "write :"+text, l.edit(at, ":"+text)
		}
		l.warn(StringCode, at, d)
	}
}

// codesAreStrings reports whether the program makes data with a string under :code itself.
func (l *linter) codesAreStrings() bool {
	for i, t := range l.src.tokens {
		if t.Kind == parser.Atom && l.src.word(i) == ":code" && i+1 < len(l.src.tokens) {
			if next := l.src.word(i + 1); next[0] == '"' && i > 0 && l.src.word(i-1) != "(" {
				return true
			}
		}
	}
	return false
}

func plainName(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	}) < 0
}

// maxSteps bounds the names that isErrorCode follows.
const maxSteps = 10

// isErrorCode reports whether an expression is the code of an exception, or of an element of psettle.
func isErrorCode(n *compile.Node, steps int) bool {
	path, root := keyPath(n, steps)
	if len(path) == 0 || path[len(path)-1] != "code" {
		return false
	}
	return slices.Contains(path[:len(path)-1], "error") || root != nil && root.Kind == compile.NodeCall &&
		root.Entry != nil && root.Entry == builtins.Core("ex-data")
}

// keyPath returns the keys that an expression looks up, the outermost map's first, and in what.
func keyPath(n *compile.Node, steps int) (path []string, root *compile.Node) {
	for ; steps < maxSteps; steps++ {
		n = unwrap(n)
		switch {
		case n.Kind == compile.NodeLocal && n.Local != nil && n.Local.Init != nil &&
			n.Local.Node.Special != entry.SpecialLoop:
			n = n.Local.Init
			continue
		case n.Kind == compile.NodeKeyCall:
			items, _ := value.RealisedItems(n.Form)
			if len(items) == 0 || !items[0].IsKeyword() {
				return path, n
			}
			path, n = append([]string{items[0].AsKeyword().Name}, path...), n.Subs[0]
			continue
		case n.Kind == compile.NodeCall && n.Entry != nil && n.Entry.Intrinsic == entry.IntrinsicGet && len(n.Subs) > 1 &&
			n.Subs[1].Form.IsKeyword():
			path, n = append([]string{n.Subs[1].Form.AsKeyword().Name}, path...), n.Subs[0]
			continue
		case n.Kind == compile.NodeCall && n.Entry != nil && n.Entry == builtins.Core("get-in") && len(n.Subs) > 1 &&
			n.Subs[1].Form.Is(value.Vectors):
			var keys []string
			for _, key := range value.Items(n.Subs[1].Form) {
				if key.IsKeyword() {
					keys = append(keys, key.AsKeyword().Name)
				} else {
					keys = append(keys, "")
				}
			}
			path, n = append(keys, path...), n.Subs[0]
			continue
		}
		break
	}
	return path, n
}
