// This file defines the warnings about keys that inputs and results of tools do not have.

package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// Shape is the known shape of JSON: of an object its fields, or the common shape of all values, and of an array what
// its elements have in common. Nil means that nothing is known.
type Shape struct {
	// Type is that of JSON: string, integer, number, boolean, array or object; "" if it is not known, or if there are
	// several besides null.
	Type   string
	Fields map[string]*Shape
	Values *Shape
	Items  *Shape
	Keys   string // the type of the keys of a map; "" for keywords
	Closed bool   // there are no other fields

	written bool // it is that of a literal
}

// shapes finds the shapes of expressions.
type shapes struct {
	*linter
	passed map[*compile.Binding][]passed // to parameters
	over   map[token.Pos]*compile.Node   // the collections that for and doseq go over, by the name of the element
	values map[int]*compile.Node         // of globals with one definition
	// literals are the shapes of literals, so that each has one.
	literals map[*compile.Node]*Shape

	escaped       map[*compile.Node]bool    // functions that are called from places that are not known
	tested        map[*compile.Binding]bool // locals whose type the program asks for
	testedGlobals map[int]bool
}

// passed is an argument of a function: an expression, or an element of one. The zero passed is any value.
type passed struct {
	node    *compile.Node
	element bool
}

// unknownKeys warns of a key that a map does not have, if it has a similar one.
func (l *linter) unknownKeys() {
	s := &shapes{linter: l, passed: make(map[*compile.Binding][]passed), over: make(map[token.Pos]*compile.Node),
		values: make(map[int]*compile.Node), literals: make(map[*compile.Node]*Shape), escaped: make(map[*compile.Node]bool),
		tested: make(map[*compile.Binding]bool), testedGlobals: make(map[int]bool)}
	s.collect(l.Tree)
	s.check(l.Tree, false)
}

// collect notes the arguments of functions, and the collections of loops.
func (s *shapes) collect(n *compile.Node) {
	s.Task.Work(1)
	s.escapes(n)
	switch {
	case n.Special == entry.SpecialRecur:
		s.repeat(n)
	case n.Special == entry.SpecialDef && n.Global >= 0 && len(n.Subs) > 0:
		if _, twice := s.values[n.Global]; twice {
			s.values[n.Global] = nil
		} else {
			s.values[n.Global] = n.Subs[len(n.Subs)-1]
		}
	case n.Kind == compile.NodeMacro && n.Entry != nil && (n.Entry.Loop == entry.LoopLazy ||
		n.Entry.Loop == entry.LoopElements):
		s.loop(n)
	case n.Kind == compile.NodeCall && n.Entry != nil:
		s.callback(n)
	case n.Kind == compile.NodeCall && n.Global >= 0:
		s.pass(s.functions(n.Global), n.Subs)
	case n.Kind == compile.NodeCall && n.Entry == nil:
		s.pass(s.targets(n.Subs[0]), n.Subs[1:])
	}
	for _, sub := range n.Subs {
		s.collect(sub)
	}
}

// loop notes the collections of for or doseq.
func (s *shapes) loop(n *compile.Node) {
	items, _ := value.RealisedItems(n.Form)
	if len(items) < 2 || !items[1].Is(value.Vectors) {
		return
	}
	bindings := value.Items(items[1])
	for i := 0; i+1 < len(bindings); i += 2 {
		if !bindings[i].IsSymbol() {
			continue
		}
		if coll := nodeOf(n, bindings[i+1]); coll != nil {
			s.over[bindings[i].AsSymbol().Pos] = coll
		}
	}
}

// nodeOf returns the node of a form below another one, nil if there is none.
func nodeOf(n *compile.Node, form value.Value) *compile.Node {
	for _, sub := range n.Subs {
		if value.Identical(sub.Form, form) {
			return sub
		}
		if found := nodeOf(sub, form); found != nil {
			return found
		}
	}
	return nil
}

// maxFollowed bounds the expressions that are followed to find one shape.
const maxFollowed = 40

// of returns the shape of an expression.
func (s *shapes) of(n *compile.Node, depth int) *Shape {
	if s.Task.Work(1); depth > maxFollowed {
		return nil
	}
	depth++
	switch n.Kind {
	case compile.NodeGlobal:
		if s.testedGlobals[n.Global] || s.varies(n.Global) {
			return nil
		}
		if s.isData(n) {
			return s.Inputs[s.Env.Globals[n.Global].Name]
		}
		if init := s.values[n.Global]; init != nil {
			return s.of(init, depth)
		}
	case compile.NodeLocal:
		return s.ofLocal(n.Local, depth)
	case compile.NodeKeyCall:
		return s.of(n.Subs[0], depth).field(keyOf(n))
	case compile.NodeCall:
		return s.ofCall(n, depth)
	case compile.NodeMacro:
		if len(n.Subs) == 1 && (n.Entry == nil || n.Entry.Loop == entry.LoopUnknown) {
			return s.of(n.Subs[0], depth)
		}
	case compile.NodeSpecial:
		return s.ofSpecial(n, depth)
	case compile.NodeConst, compile.NodeColl:
		return s.literal(n)
	}
	return nil
}

// ofLocal returns the shape of a local: of its value, or of all arguments that a parameter gets.
func (s *shapes) ofLocal(b *compile.Binding, depth int) *Shape {
	switch {
	case b == nil || s.tested[b]:
		return nil
	case b.Node.Special == entry.SpecialTry:
		return &Shape{Type: exceptionType}
	case s.over[b.Pos] != nil && b.Pos != 0:
		return s.of(s.over[b.Pos], depth).items()
	case b.Init != nil && b.Node.Special != entry.SpecialLoop:
		if b.Init.Kind == compile.NodeConst && b.Init.Form.Is(scalars) {
			return s.written(b.Init.Form, 0)
		}
		return s.of(b.Init, depth)
	}
	if b.Node.Kind == compile.NodeArity && s.escaped[b.Node.Parent] {
		return nil
	}
	var known *Shape
	for _, p := range s.passed[b] {
		if p.node == nil {
			return nil
		}
		one := s.of(p.node, depth)
		if p.element {
			one = one.items()
		} else if one != nil && one.written { // an option that this call leaves out
			return nil
		}
		if one == nil || known != nil && one != known {
			return nil
		}
		known = one
	}
	return known
}

// ofSpecial returns the shape of a special form.
func (s *shapes) ofSpecial(n *compile.Node, depth int) *Shape {
	switch n.Special {
	case entry.SpecialIf:
		return s.ofBranches(n, depth)
	case entry.SpecialLet, entry.SpecialDo:
		if len(n.Subs) > 0 {
			return s.of(n.Subs[len(n.Subs)-1], depth)
		}
	}
	return nil
}

// ofCall returns the shape of a call.
func (s *shapes) ofCall(n *compile.Node, depth int) *Shape {
	e := n.Entry
	switch {
	case e == nil && n.Global < 0 && n.Subs[0].Kind == compile.NodeTool:
		if t := s.Tools(n.Subs[0].Tool); t != nil {
			return t.Result
		}
		return nil
	case e == nil || len(n.Subs) == 0:
		return nil
	case e.Private && e == builtins.Core("%kwargs"): // of a pattern
		return s.of(n.Subs[0], depth)
	case e == builtins.Core("psettle"):
		return psettled()
	case e == builtins.Core("group-by") && len(n.Subs) == 2:
		return s.grouped(n, depth)
	case e.Fusion == entry.ConsumerCount:
		return &Shape{Type: "integer"}
	case e.Intrinsic == entry.IntrinsicGet:
		return s.orElse(s.of(n.Subs[0], depth).field(keyOf(n)), n, depth)
	case e.Intrinsic == entry.IntrinsicFirst, e.Intrinsic == entry.IntrinsicNth:
		return s.orElse(s.of(n.Subs[0], depth).items(), n, depth)
	case e.Fusion == entry.ConsumerSet:
		if known := s.of(n.Subs[0], depth).items(); known != nil {
			return &Shape{Type: setType, Items: known}
		}
	case e.Intrinsic == entry.IntrinsicSeq, e.Intrinsic == entry.IntrinsicRest, e.Intrinsic == entry.IntrinsicNext,
		e.Fusion == entry.ConsumerVec:
		return s.of(n.Subs[0], depth).list()
	case (e.Fusion == entry.StageFilter || e.Fusion == entry.StageRemove || e.Is(entry.Cuts)) && len(n.Subs) == 2:
		return s.of(n.Subs[1], depth).list()
	case (e.Fusion == entry.StageMap || e.Fusion == entry.ConsumerMapv) && len(n.Subs) == 2 && n.Subs[0].Form.IsKeyword():
		if known := s.of(n.Subs[1], depth).items().field(n.Subs[0].Form.AsKeyword().Name); known != nil {
			return &Shape{Items: known}
		}
	}
	return nil
}

// keyOf returns the key that a look-up has in its text, "" if it has none.
func keyOf(n *compile.Node) string {
	key := value.Nil
	if n.Kind == compile.NodeKeyCall {
		items, _ := value.RealisedItems(n.Form)
		key = items[0]
	} else if len(n.Subs) > 1 {
		key = n.Subs[1].Form
	}
	if key.IsKeyword() && key.AsKeyword().NS == "" {
		return key.AsKeyword().Name
	}
	return ""
}

// check warns of the look-ups in an expression.
func (s *shapes) check(n *compile.Node, made bool) {
	if n.Kind == compile.NodeKeyCall || n.Kind == compile.NodeCall && n.Entry != nil &&
		n.Entry.Intrinsic == entry.IntrinsicGet {
		if !made && len(n.Subs) > 0 && !isWritten(n.Subs[0]) {
			s.lookUp(n)
		}
	}
	if (n.Kind == compile.NodeCall || n.Kind == compile.NodeKeyCall) && !made {
		s.cells(n)
		s.inMap(n)
	}
	if n.Kind == compile.NodeCall && n.Entry != nil && !made {
		s.keyFunction(n)
		s.neverEqual(n)
		s.wrongType(n)
		s.spread(n)
		s.getIn(n)
		s.defaults(n)
		s.membership(n)
	}
	if n.Kind == compile.NodeMacro && n.Entry != nil && n.Entry == builtins.Core("case") && !made {
		s.neverCase(n)
	}
	made = made || n.Kind == compile.NodeMacro && n.Global >= 0 || isTest(n)
	for _, sub := range n.Subs {
		s.check(sub, made)
	}
}

// lookUp warns of a key that the map does not have.
func (s *shapes) lookUp(n *compile.Node) {
	key := keyOf(n)
	if key == "" {
		if n.Kind == compile.NodeCall {
			s.stringKey(n)
		}
		return
	}
	at, ok := s.placeOf(n)
	if !ok && n.Kind == compile.NodeKeyCall {
		at, ok = s.keyCall(n)
	}
	pattern := !ok
	if pattern {
		at, ok = s.bindingOf(n)
	}
	if !ok {
		return
	}
	of := s.of(n.Subs[0], 0)
	s.lacks(n, of, key, at)
	if of != nil {
		s.never(of, key, n.Subs[0], at, pattern)
	}
}

// keyCall returns the place of (:key m), or of #(:key %).
func (s *shapes) keyCall(n *compile.Node) (place, bool) {
	i := s.src.index(n.Pos)
	if i < 0 && n.Pos > 1 {
		i = s.src.index(n.Pos - 1)
	}
	if i < 0 {
		return place{}, false
	}
	return s.src.whole(i), true
}

// keyFunction warns of a key that a builtin looks up in each element: (map :quantitty orders).
func (s *shapes) keyFunction(n *compile.Node) {
	c := n.Entry.Calls
	if ranks(n.Entry) || c.Times != entry.TimesElements || len(n.Subs) != int(c.First)+2 ||
		!n.Subs[c.First].Form.IsKeyword() {
		return
	}
	if open := s.src.written(n); open >= 0 {
		whole := s.of(n.Subs[c.First+1], 0)
		of := whole.items()
		key := n.Subs[c.First].Form.AsKeyword().Name
		s.missing(of, key, s.src.whole(open))
		if of != nil && of.scalar() {
			s.warn(UnknownKey, s.src.whole(open), Diagnostic{Message: fmt.Sprintf("the elements are %ss, in which a keyword "+
				"finds nothing", of.Type), Hint: "a keyword looks up a key in a map"})
		}
		if whole != nil && whole.Type == "object" && n.Subs[c.First+1].Kind != compile.NodeConst {
			s.warn(UnknownKey, s.src.whole(open), Diagnostic{Message: "the elements of a map are its entries [k v], in which " +
				"a keyword finds nothing", Hint: cmp.Or(s.within(whole, key), "(vals m) returns the values of a map")})
		}
	}
}

// missing warns of a key that a map does not have, if it has a similar one.
func (s *shapes) missing(of *Shape, key string, at place) {
	if of == nil || of.Fields == nil || of.Values != nil || of.Fields[key] != nil {
		return
	}
	if _, known := of.Fields[key]; known {
		return
	}
	best, ok := diag.Suggest(key, maps.Keys(of.Fields))
	if in := s.within(of, key); in != "" && !ok {
		s.warn(UnknownKey, at, Diagnostic{Message: "there is no :" + key + " in this map", Hint: in})
		return
	}
	if !ok && !of.Closed {
		return
	}
	names := slices.Sorted(maps.Keys(of.Fields))
	hint := "there are :" + strings.Join(names[:min(len(names), 12)], " :")
	if ok {
		hint = "did you mean :" + best + "? " + hint
	}
	s.warn(UnknownKey, at, Diagnostic{Message: "there is no :" + key + " in this map", Hint: hint})
}
