// This file defines the shapes of literals, and the warnings about look-ups that use them: paths, indexes of lists,
// atoms, and arguments of look-ups in the wrong order.

package lint

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// literal returns the shape of a literal map or vector, nil for other expressions.
func (s *shapes) literal(n *compile.Node) *Shape {
	if !n.Form.Is(value.Vectors|value.Maps) || n.Kind != compile.NodeConst && n.Kind != compile.NodeColl {
		return nil
	}
	known, ok := s.literals[n]
	if !ok {
		if known = s.written(n.Form, 0); known.Type == "" {
			known = nil
		}
		s.literals[n] = known
	}
	return known
}

// written returns the shape of a form that is its own value; that of another form has no type.
func (s *shapes) written(form value.Value, depth int) *Shape {
	s.Task.Work(1)
	unknown := &Shape{written: true}
	switch {
	case depth > maxSteps:
	case form.IsString():
		return &Shape{Type: "string", written: true}
	case form.IsInt():
		return &Shape{Type: "integer", written: true}
	case form.IsFloat():
		return &Shape{Type: "number", written: true}
	case form.Is(value.Vectors):
		var items *Shape
		for _, x := range value.Items(form) {
			items = both(items, s.written(x, depth+1))
		}
		return &Shape{Type: "array", Items: items, written: true}
	case form.Is(value.Maps):
		of := &Shape{Type: "object", Fields: make(map[string]*Shape), written: true}
		for it := value.NewMapIter(form); it.Next(); {
			switch {
			case it.Key.IsKeyword() && it.Key.AsKeyword().NS == "" && of.Keys == "":
				of.Fields[it.Key.AsKeyword().Name] = s.written(it.Val, depth+1)
			case it.Key.IsString() && len(of.Fields) == 0:
				of.Keys = "string"
			default:
				return unknown
			}
		}
		if len(of.Fields) == 0 && of.Keys == "" {
			return unknown
		}
		return of
	}
	return unknown
}

// both returns the shape of values of two shapes: it has the fields of either, if both are maps.
func both(a, b *Shape) *Shape {
	switch {
	case a == nil:
		return b
	case a.Type != b.Type || a.Keys != b.Keys || a.Type == "array":
		return &Shape{written: true}
	case a.Type != "object":
		return a
	}
	all := &Shape{Type: "object", Keys: a.Keys, Fields: make(map[string]*Shape), written: true}
	for name, field := range a.Fields {
		all.Fields[name] = field
	}
	for name, field := range b.Fields {
		all.Fields[name] = both(all.Fields[name], field)
	}
	return all
}

// parsesJSON reports whether a call returns JSON whose keys are keywords.
func parsesJSON(n *compile.Node) bool {
	return n.Entry != nil && n.Entry == builtins.Lookup("json", "parse") && len(n.Subs) == 1
}

// isWritten reports whether an expression is a literal itself, as tests look things up in.
func isWritten(n *compile.Node) bool {
	n = unwrap(n)
	return n.Kind == compile.NodeConst || n.Kind == compile.NodeColl
}

// lacks warns of a key that a look-up does not find, if the program does not expect that.
func (s *shapes) lacks(n *compile.Node, of *Shape, key string, at place) {
	if of == nil || !of.written || !expectsAbsence(n) {
		s.missing(of, key, at)
	}
}

// expectsAbsence reports whether a program has a default for a look-up, or tests that it finds nothing.
func expectsAbsence(n *compile.Node) bool {
	if len(n.Subs) > 2 {
		return !n.Subs[2].Form.IsNil()
	}
	p := n.Parent
	if p == nil {
		return false
	}
	switch {
	case p.Special == entry.SpecialOr:
		return p.Subs[len(p.Subs)-1] != n
	case p.Kind != compile.NodeCall || p.Entry == nil:
		return false
	case p.Entry.Intrinsic == entry.IntrinsicEqual || p.Entry.Intrinsic == entry.IntrinsicNotEqual:
		isNil := func(x *compile.Node) bool { return x.Kind == compile.NodeConst && x.Form.IsNil() }
		return slices.ContainsFunc(p.Subs, isNil)
	}
	return p.Entry == builtins.Core("nil?") || p.Entry == builtins.Core("some?")
}

// getIn warns of a path that looks up a key in a list, or one that is not there.
func (s *shapes) getIn(n *compile.Node) {
	if n.Entry != builtins.Core("get-in") || len(n.Subs) < 2 || !n.Subs[1].Form.Is(value.Vectors) {
		return
	}
	of := s.of(n.Subs[0], 0)
	at, ok := s.placeOf(n.Subs[1])
	if !ok {
		at, ok = s.placeOf(n)
	}
	if !ok || isWritten(n.Subs[0]) {
		return
	}
	if from := made(n.Subs[0]); from.Kind == compile.NodeCall && parsesJSON(from) {
		if items := value.Items(n.Subs[1].Form); len(items) > 0 && items[0].IsString() {
			of = &Shape{Fields: map[string]*Shape{items[0].AsString().S: {}}}
		}
	}
	for _, key := range value.Items(n.Subs[1].Form) {
		if of == nil {
			return
		}
		text := value.Show(s.Task, key)
		switch {
		case of.Type == "array" && (key.IsKeyword() || key.IsString()):
			d := Diagnostic{Message: "the path looks up " + text + " in a list, which has indexes",
				Hint: "write an index before it, as in [… 0 " + text + "], or (map " + text + " list) for each element"}
			if key.IsString() && isInteger(key.AsString().S) {
				d.Hint = "an index is a number: write " + key.AsString().S
			}
			s.warn(UnknownKey, at, d)
			return
		case key.IsKeyword():
			name := key.AsKeyword().Name
			s.lacks(n, of, name, at)
			of = of.field(name)
		case key.IsString() && of.Keys == "" && of.Fields[key.AsString().S] != nil:
			s.warn(UnknownKey, at, Diagnostic{Message: "the keys of this map are keywords, so it has no " + text,
				Hint: "write :" + key.AsString().S})
			return
		case key.IsInt():
			of = of.Items
		default:
			return
		}
	}
}

// defaults warns of a key in the place of the default of get: (get orders 0 :price).
func (s *shapes) defaults(n *compile.Node) {
	if n.Entry.Intrinsic != entry.IntrinsicGet || len(n.Subs) != 3 || !n.Subs[2].Form.IsKeyword() {
		return
	}
	open := s.src.verbatim(n)
	of := s.of(n.Subs[0], 0).items()
	if open < 0 || of == nil || of.Fields[n.Subs[2].Form.AsKeyword().Name] == nil {
		return
	}
	text := func(i int) string { return s.src.text(s.src.whole(s.src.parts(open)[i])) }
	form := fmt.Sprintf("(get-in %s [%s %s])", text(1), text(2), text(3))
	s.warn(WrongArgument, s.src.whole(s.src.parts(open)[3]), Diagnostic{
		Message: "the third argument of get is its default, and " + text(3) + " is a key",
		Hint:    "a path is " + clipped(form), Fix: s.edit(s.src.whole(open), form)})
}

// inMap warns of a key that a local map does not have, which is called with it: (m :nmae).
func (s *shapes) inMap(n *compile.Node) {
	if n.Entry != nil || n.Global >= 0 || len(n.Subs) != 2 || n.Subs[0].Kind != compile.NodeLocal {
		return
	}
	if key := n.Subs[1].Form; key.IsKeyword() && key.AsKeyword().NS == "" && n.Subs[1].Kind == compile.NodeConst {
		if at, ok := s.placeOf(n); ok {
			s.lacks(n, s.of(n.Subs[0], 0), key.AsKeyword().Name, at)
		}
	}
}

// isAtom reports whether an expression is an atom that the program has made.
func (s *shapes) isAtom(n *compile.Node) bool {
	switch {
	case n.Kind == compile.NodeLocal:
		n = made(n)
	case n.Kind == compile.NodeGlobal && s.values[n.Global] != nil && !s.varies(n.Global):
		n = unwrap(s.values[n.Global])
	}
	return n.Kind == compile.NodeCall && n.Entry != nil && n.Entry == builtins.Core("atom")
}

// cells warns of an atom that is used in place of its value.
func (s *shapes) cells(n *compile.Node) {
	for i, sub := range n.Subs {
		at, ok := s.src.symbol(sub.Form)
		if !ok || !s.isAtom(sub) {
			continue
		}
		name := s.src.text(at)
		d := Diagnostic{Hint: "@" + name + " is its value", Fix: s.edit(at, "@"+name)}
		switch {
		case n.Kind == compile.NodeKeyCall:
			d.Message = name + " is an atom, in which a keyword finds nothing"
		case n.Entry.Is(entry.Texts) || n.Entry == builtins.Core("str"):
			d.Message = name + " is an atom, and is written as one"
		case n.Entry != nil && !expectsFailure(n) && n.Entry.Refuses(len(n.Subs), i, value.Kinds(value.KindAtom)) != "":
			d.Message = n.Entry.Name + ": " + name + " is an atom, want " +
				n.Entry.Refuses(len(n.Subs), i, value.Kinds(value.KindAtom))
			if n.Entry.Is(entry.Copies) {
				d.Hint += fmt.Sprintf("; (swap! %s %s …) changes it", name, n.Entry.Name)
			}
		default:
			continue
		}
		s.refused[n] = true
		s.warn(WrongArgument, at, d)
		return
	}
}

// isPath reports whether an expression is a literal vector of keywords, in which nothing is looked up.
func isPath(n *compile.Node) bool {
	if n.Kind != compile.NodeConst && n.Kind != compile.NodeColl || !n.Form.Is(value.Vectors) {
		return false
	}
	items := value.Items(n.Form)
	for _, x := range items {
		if !x.IsKeyword() {
			return false
		}
	}
	return len(items) > 0
}

// lookUpOrder warns of look-ups whose arguments are in the wrong order.
func (l *linter) lookUpOrder(n *compile.Node) {
	if n.Entry == nil || len(n.Subs) < 2 || expectsFailure(n) {
		return
	}
	first, second := n.Subs[0], n.Subs[1]
	step := l.src.written(n)
	if step < 0 {
		return
	}
	message := ""
	kinds, known := kindOf(first)
	function, _ := kindOf(second)
	switch e := n.Entry; {
	case e.Intrinsic == entry.IntrinsicGet && known && kinds&^keys == 0 &&
		len(n.Subs) == 2:
		message = "get finds nothing in " + l.described(first)
	case (e == builtins.Core("get-in") || e == builtins.Core("select-keys")) && isPath(first) &&
		!isKind(second, value.Vectors):
		message = e.Name + " finds nothing in " + l.described(first) + ", which looks like its keys"
	case e == builtins.Core("update") && function == value.Kinds(value.KindFn) && len(n.Subs) == 3 &&
		n.Subs[2].Form.IsKeyword():
		message = "update takes the key before the function"
	case (e == builtins.Lookup("clojure.string", "join") || e == builtins.Core("interpose")) && isSeparator(second) &&
		!made(first).Form.IsString() && len(n.Subs) == 2:
		message = e.Name + " takes the separator before the collection"
	default:
		return
	}
	d := Diagnostic{Message: message, Hint: "check the order of the arguments: (" + n.Entry.Name + " " +
		strings.Join(n.Entry.ParameterNames(len(n.Subs)), " ") + ")"}
	l.swapped(n, step, &d)
	l.warn(WrongArgument, l.src.whole(step), d)
}

// keys are the kinds of values in which get finds nothing.
var keys = value.Numbers | value.Kinds(value.KindKeyword)

// swapped fixes a call whose arguments are in the wrong order.
func (l *linter) swapped(n *compile.Node, step int, d *Diagnostic) {
	if n.Entry.Intrinsic == entry.IntrinsicGet && isKind(n.Subs[1], keys) {
		return // in neither order it finds anything
	}
	if open := l.src.verbatim(n); open >= 0 {
		parts := l.src.parts(open)
		a, b := l.src.whole(parts[1]), l.src.whole(parts[2])
		if n.Entry == builtins.Core("update") {
			a, b = b, l.src.whole(parts[3])
		}
		d.Fix = append(l.edit(a, l.src.text(b)), l.edit(b, l.src.text(a))...)
	} else if threads := threadsOf(n); threads != nil && threads.Entry == builtins.Core("->>") {
		form := "(#(" + n.Entry.Name + " % " + l.inside(step)[len(l.src.word(step+1)):] + "))"
		if n.Entry.Intrinsic == entry.IntrinsicGet && n.Subs[0].Form.IsKeyword() {
			form = l.src.text(l.src.whole(l.src.parts(step)[1]))
		} else {
			form = strings.Replace(form, "%  ", "% ", 1)
		}
		d.Hint, d.Fix = "->> puts its value at the other end: write the step "+form, l.edit(l.src.whole(step), form)
	}
}

// isSeparator reports whether an expression is a string without letters or digits.
func isSeparator(n *compile.Node) bool {
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return n.Kind == compile.NodeConst && n.Form.IsString() && !strings.ContainsFunc(n.Form.AsString().S, word)
}

// elementsOf warns of a list whose elements are looked up as keys are: (contains? ["a"] "a"), (get (map f xs) 0).
func (l *linter) elementsOf(n *compile.Node) {
	open := l.src.verbatim(n)
	if n.Entry == nil || len(n.Subs) != 2 || open < 0 || expectsFailure(n) {
		return
	}
	of, key := made(n.Subs[0]), n.Subs[1]
	head := l.src.whole(l.src.parts(open)[0])
	switch {
	case n.Entry.Intrinsic == entry.IntrinsicGet && isLazy(of):
		l.warn(WrongArgument, l.src.whole(open), Diagnostic{Message: "get finds nothing in a lazy sequence",
			Hint: "(nth coll i) returns an element", Fix: l.edit(head, "nth")})
	case n.Entry == builtins.Core("contains?") && of.Form.Is(value.Vectors) && isWritten(of) && absent(of, key):
		l.searched(n, open)
	}
}

// membership warns of contains? with a list and a value that is no index: (contains? (:tags order) "new").
func (s *shapes) membership(n *compile.Node) {
	open := s.src.parted(n)
	if n.Entry != builtins.Core("contains?") || len(n.Subs) != 2 || open < 0 || expectsFailure(n) {
		return
	}
	key := n.Subs[1]
	of := s.of(n.Subs[0], 0)
	named := key.Kind == compile.NodeConst && (key.Form.IsString() || key.Form.IsKeyword())
	_, typed := kindOf(made(key))
	if known := s.of(key, 0); known != nil && known.Type != "" {
		named, typed = named || known.Type == "string", true
	}
	if of == nil || of.Type != "array" && (of.Type != "" || of.Items == nil) {
		return
	}
	if named || isWritten(n.Subs[0]) && of.Items != nil && of.Items.Type == "string" && !typed {
		s.searched(n, open)
	}
}

// searched warns of contains? in a vector.
func (l *linter) searched(n *compile.Node, open int) {
	parts := l.src.parts(open)
	call := fmt.Sprintf("(some #{%s} %s)", l.src.text(l.src.whole(parts[2])), l.src.text(l.src.whole(parts[1])))
	d := Diagnostic{Message: "contains? looks for an index in a vector, and not for an element",
		Hint: "write " + clipped(call)}
	if n.Subs[1].Kind == compile.NodeConst && l.src.word(open) == "(" {
		d.Fix = l.edit(l.src.whole(open), call)
	}
	l.warn(WrongArgument, l.src.whole(open), d)
}

// absent reports whether a key is certainly no index of a literal vector: it is no number, or the number of an element.
func absent(of, key *compile.Node) bool {
	items := value.Items(of.Form)
	if key.Kind == compile.NodeConst && key.Form.IsInt() {
		for _, x := range items {
			if value.Identical(x, key.Form) {
				return key.Form.AsInt() >= int64(len(items))
			}
		}
		return false
	}
	return key.Kind == compile.NodeConst && key.Form.Is(scalars) && !key.Form.IsFloat()
}
