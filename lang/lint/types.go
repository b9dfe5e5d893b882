// This file defines the warnings about values whose type is known from the inputs, from the results of tools, or from
// the expression that makes them: a key that is looked up in a string, and comparisons that are never true.

package lint

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// entryType is the Type of an element of a map.
const entryType = "entry"

// setType is the Type of a set.
const setType = "set"

// exceptionType is the Type of what a catch binds.
const exceptionType = "exception"

// typeKinds are the kinds of the values of the types of JSON.
var typeKinds = map[string]value.KindSet{
	"string":  value.Kinds(value.KindString),
	"integer": value.Kinds(value.KindInt),
	"number":  value.Kinds(value.KindInt, value.KindFloat),
	"boolean": value.Kinds(value.KindBool),
	"array":   value.Vectors,
	"object":  value.Maps,
}

// typeWords returns the words for a type.
func (s *Shape) typeWords() string {
	switch {
	case s.Type == "array":
		return "a list"
	case s.Type == "object":
		return "a map"
	case s.Type == entryType:
		return "an entry [k v] of a map"
	case s.Type == "integer" || s.Type == exceptionType:
		return "an " + s.Type
	}
	return "a " + s.Type
}

// items returns the shape of the elements of a collection, nil if it is not known.
func (s *Shape) items() *Shape {
	if s != nil && s.Type == "object" {
		return &Shape{Type: entryType}
	}
	if s == nil {
		return nil
	}
	return s.Items
}

// list returns the shape of a list of the elements of a collection.
func (s *Shape) list() *Shape {
	if s != nil && (s.Type == "object" || s.Type == setType) {
		return &Shape{Items: s.items()}
	}
	return s
}

// field returns the shape of the value of a key, nil if it is not known.
func (s *Shape) field(name string) *Shape {
	if s == nil || name == "" {
		return nil
	}
	if known := s.Fields[name]; known != nil {
		return known
	}
	return s.Values
}

// scalar reports whether the values of a shape have no parts.
func (s *Shape) scalar() bool {
	switch s.Type {
	case "string", "integer", "number", "boolean", exceptionType:
		return true
	}
	return false
}

// psettled is an element of what psettle returns.
func psettled() *Shape {
	unknown := &Shape{}
	return &Shape{Items: &Shape{Type: "object", Closed: true,
		Fields: map[string]*Shape{"ok": unknown, "error": {Type: "object", Fields: map[string]*Shape{"code": unknown,
			"message": {Type: "string"}, "index": {Type: "integer"}, "data": unknown}}}}}
}

// grouped is the shape of the result of group-by for elements with a known key.
func (s *shapes) grouped(n *compile.Node, depth int) *Shape {
	elements := s.of(n.Subs[1], depth)
	if !n.Subs[0].Form.IsKeyword() || elements.items() == nil {
		return nil
	}
	key := elements.items().field(n.Subs[0].Form.AsKeyword().Name)
	if key == nil || key.Type != "string" {
		return nil
	}
	return &Shape{Type: "object", Keys: key.Type, Values: &Shape{Type: "array", Items: elements.items()}}
}

// ofBranches returns the shape that all branches of an if have. One that is nil has any.
func (s *shapes) ofBranches(n *compile.Node, depth int) *Shape {
	var known *Shape
	for _, sub := range n.Subs[min(1, len(n.Subs)):] {
		if sub.Form.IsNil() {
			continue
		}
		one := s.of(sub, depth)
		if one == nil || known != nil && !alike(one, known) {
			return nil
		}
		known = one
	}
	return known
}

// alike reports whether two shapes are known to be the same.
func alike(a, b *Shape) bool { return a == b || a.scalar() && a.Type == b.Type }

// orElse returns the shape of a look-up, which may have a default.
func (s *shapes) orElse(known *Shape, n *compile.Node, depth int) *Shape {
	if len(n.Subs) < 3 || known == nil || n.Subs[2].Form.IsNil() {
		return known
	}
	if other := s.of(n.Subs[2], depth); other == nil || !alike(other, known) {
		return nil
	}
	return known
}

// never warns of a look-up that returns nil because of what it looks into.
func (s *shapes) never(of *Shape, key string, n *compile.Node, at place, pattern bool) {
	target := "the map"
	if n != nil {
		n = unwrap(n)
		t, ok := s.placeOf(n)
		if !ok && n.Kind == compile.NodeKeyCall {
			t, ok = s.keyCall(n)
		}
		if ok {
			target = clipped(s.src.text(t))
		}
	}
	d := Diagnostic{}
	switch {
	case of.Type == exceptionType && n != nil:
		d.Message = target + " is an exception, in which a keyword finds nothing"
		form := fmt.Sprintf("(:%s (ex-data %s))", key, target)
		if key == "message" || key == "msg" {
			form = "(ex-message " + target + ")"
		}
		d.Hint, d.Fix = "write "+form, s.edit(at, form)
	case of.scalar():
		d.Message = fmt.Sprintf("%s is %s, in which a keyword finds nothing", target, of.typeWords())
		if of.Type == "string" {
			d.Hint = fmt.Sprintf("(json/parse %s) reads JSON: (:%s (json/parse %s))", target, key, target)
		}
	case (of.Type == "array" || of.Type == "" && of.Items != nil) && !pattern:
		d.Message = fmt.Sprintf("%s is a list, in which a keyword finds nothing", target)
		d.Hint = fmt.Sprintf("(map :%s %s) takes it from each element, (:%[1]s (first %[2]s)) from one", key, target)
	case of.Type == entryType && !pattern:
		d.Message = fmt.Sprintf("%s is an entry [k v] of a map, in which a keyword finds nothing", target)
		d.Hint = "take the list out of the map first, as in (:items m); [[k v] m] takes the entries apart"
	case of.Keys == "string":
		d.Message = "the keys of this map are strings"
		d.Hint = fmt.Sprintf("write (get %s %q)", target, key)
		if pattern {
			d.Hint = fmt.Sprintf("write {:strs [%s]}, or {%[1]s %q}", key, key)
		}
	default:
		return
	}
	s.warn(UnknownKey, at, d)
}

// stringKey warns of a string that is looked up in a map whose keys are keywords.
func (s *shapes) stringKey(n *compile.Node) {
	if len(n.Subs) < 2 || !n.Subs[1].Form.IsString() {
		return
	}
	key := n.Subs[1].Form.AsString().S
	of := s.of(n.Subs[0], 0)
	if from := made(n.Subs[0]); from.Kind == compile.NodeCall && parsesJSON(from) {
		of = &Shape{Fields: map[string]*Shape{key: {}}}
	}
	if of == nil || of.Keys != "" || of.Fields[key] == nil {
		return
	}
	d := Diagnostic{Message: "the keys of this map are keywords, so it has no " + strconv.Quote(key)}
	if open := s.src.parted(n); open >= 0 && plainName(key) {
		at := s.src.whole(s.src.parts(open)[2])
		d.Hint, d.Fix = "write :"+key, s.edit(at, ":"+key)
		s.warn(UnknownKey, at, d)
	} else if open := s.src.written(n); open >= 0 {
		d.Hint = "write (:" + key + " m)"
		s.warn(UnknownKey, s.src.whole(open), d)
	} else if at, ok := s.bindingOf(n); ok {
		d.Hint = "write :keys in place of :strs"
		s.warn(UnknownKey, at, d)
	}
}

// neverEqual warns of a comparison with a constant of another type.
func (s *shapes) neverEqual(n *compile.Node) {
	if i := n.Entry.Intrinsic; i != entry.IntrinsicEqual && i != entry.IntrinsicNotEqual || len(n.Subs) != 2 {
		return
	}
	for i, sub := range n.Subs {
		known := s.of(n.Subs[1-i], 0)
		constant, ok := constantOf(sub)
		if known == nil || !ok || isWritten(n.Subs[1-i]) || !s.differs(known, constant) {
			continue
		}
		open := s.src.parted(n)
		if open < 0 {
			return
		}
		parts := s.src.parts(open)
		at := s.src.whole(parts[i+1])
		s.notEqual(known, constant, clipped(s.src.text(s.src.whole(parts[2-i]))), at)
		return
	}
}

// neverCase warns of a constant of case that has another type than the value.
func (s *shapes) neverCase(n *compile.Node) {
	open := s.src.parted(n)
	items, _ := value.RealisedItems(n.Form)
	if open < 0 || len(items) < 4 {
		return
	}
	tested := nodeOf(n, items[1])
	if tested == nil {
		return
	}
	known := s.of(tested, 0)
	if known == nil {
		return
	}
	parts := s.src.parts(open)
	for i := 2; i+1 < len(items); i += 2 {
		if items[i].Is(scalars) && s.differs(known, items[i]) {
			s.notEqual(known, items[i], clipped(s.src.text(s.src.whole(parts[1]))), s.src.whole(parts[i]))
		}
	}
}

// notEqual warns of a constant that a value of a shape never is.
func (s *shapes) notEqual(known *Shape, constant value.Value, what string, at place) {
	d := Diagnostic{Message: fmt.Sprintf("%s is %s, so it is never %s", what, known.typeWords(),
		value.Describe(s.Task, constant))}
	instead := ""
	switch {
	case known.Type == "string" && constant.IsKeyword():
		instead = strconv.Quote(constant.AsKeyword().Name)
	case known.Type == "string" && constant.IsSymbol():
		instead = strconv.Quote(constant.AsSymbol().Name)
	case known.Type == "string" && constant.IsInt():
		instead = strconv.Quote(s.src.text(at))
	case constant.IsString() && known.Type == "integer" && isInteger(constant.AsString().S):
		instead = constant.AsString().S
	}
	if instead != "" {
		d.Hint, d.Fix = "write "+instead, s.edit(at, instead)
	}
	s.warn(NeverEqual, at, d)
}

func isInteger(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// constantOf returns the value of a constant, or of a quoted symbol.
func constantOf(n *compile.Node) (value.Value, bool) {
	n = unwrap(n)
	switch {
	case n.Kind == compile.NodeConst && n.Form.Is(scalars):
		return n.Form, true
	case n.Special == entry.SpecialQuote:
		if items, _ := value.RealisedItems(n.Form); len(items) == 2 && items[1].IsSymbol() {
			return items[1], true
		}
	}
	return value.Nil, false
}

// differs reports whether a constant is never equal to a value of a shape.
func (s *shapes) differs(known *Shape, constant value.Value) bool {
	kinds, ok := typeKinds[known.Type]
	if !ok || known.Type == "integer" && constant.IsFloat() {
		return false
	}
	return !constant.Is(kinds)
}

// wrongType warns of an argument that a builtin refuses because of the type that is known of it.
func (s *shapes) wrongType(n *compile.Node) {
	open := s.src.parted(n)
	if open < 0 || expectsFailure(n) || s.refused[n] {
		return
	}
	for i, sub := range n.Subs {
		known := s.of(sub, 0)
		if known == nil {
			continue
		}
		kinds, ok := typeKinds[known.Type]
		if !ok {
			continue
		}
		want := n.Entry.Refuses(len(n.Subs), i, kinds)
		if readsJSON := n.Entry == builtins.Lookup("json", "parse"); readsJSON && i == 0 && known.Type != "string" {
			want = "a string"
		}
		if want == "" {
			continue
		}
		at := s.src.whole(s.src.parts(open)[i+1])
		text := clipped(s.src.text(at))
		d := Diagnostic{Message: fmt.Sprintf("%s: %s is %s, want %s", n.Entry.Name, text, known.typeWords(), want)}
		switch {
		case n.Entry == builtins.Lookup("json", "parse") && !known.scalar():
			d.Hint = "it is data already: write " + text
			if s.src.verbatim(n) == open {
				d.Fix = s.edit(s.src.whole(open), text)
			}
		case known.Type == "string" && n.Entry.Compares():
			d.Hint = "(compare a b) orders strings; (parse-double " + text + ") reads a number"
		case strings.HasPrefix(want, "a number") && known.Type == "string":
			d.Hint = "(parse-double " + text + ") or (parse-long " + text + ") reads a number"
		case len(n.Subs) > 1:
			d.Hint = "check the order of the arguments: (" + n.Entry.Name + " " +
				strings.Join(n.Entry.ParameterNames(len(n.Subs)), " ") + ")"
		}
		s.warn(WrongArgument, at, d)
		return
	}
}

// bindingOf returns the place of the name whose value a look-up is.
func (s *shapes) bindingOf(n *compile.Node) (place, bool) {
	for p := n.Parent; p != nil && (p.Special == entry.SpecialLet || p.Kind == compile.NodeMacro); p = p.Parent {
		for _, b := range p.Binds {
			if b.Init == n && b.Pos != 0 {
				if i := s.src.index(b.Pos); i >= 0 {
					return s.src.place(i), true
				}
			}
		}
	}
	return place{}, false
}

// within returns a hint at a key that the elements of a field have, "" if there is none.
func (s *shapes) within(of *Shape, key string) string {
	for _, name := range slices.Sorted(maps.Keys(of.Fields)) {
		if items := of.Fields[name].items(); items != nil && items.Fields[key] != nil {
			return fmt.Sprintf("the elements of :%s have it: (map :%s (:%[1]s m))", name, key)
		}
	}
	return ""
}
