// This file defines the functions on multimethods, and isa?, with which they choose a method.

package builtins

import (
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jclass"
	"github.com/ptc-lang/ptc/lang/value"
)

var multiNatives = []entry.Entry{
	{NS: "clojure.core", Name: "%multi-fn", Args: "name:string dispatch default hierarchy", Private: true,
		Cost: entry.Constant, Fn: makeMulti},
	{NS: "clojure.core", Name: "%multi?", Args: "v:var", Private: true, Cost: entry.Constant, Fn: isMulti},
	{NS: "clojure.core", Name: "%add-method", Args: "multifn dispatch-val f", Private: true, Cost: entry.Constant,
		Fn: addMethod},
	{NS: "clojure.core", Name: "%multi-dispatch", Args: "multifn", Private: true, Cost: entry.Constant, Fn: multiDispatch},
	{NS: "clojure.core", Name: "%multi-method", Args: "multifn dispatch-val", Private: true, Cost: entry.PerElement,
		Fn: multiMethod},
	{NS: "clojure.core", Name: "%global-hierarchy", Args: "", Private: true, Cost: entry.Constant, Fn: globalHierarchy},
	{NS: "clojure.core", Name: "%bad-derive", Args: "message:string", Private: true, Cost: entry.Constant, Fn: badDerive},
	{NS: "clojure.core", Name: "%no-descendants", Args: "", Private: true, Cost: entry.Constant, Fn: noDescendants},
	{NS: "clojure.core", Name: "%bases", Args: "x", Private: true, Cost: entry.PerElement, Fn: classBases},
	{NS: "clojure.core", Name: "%class?", Args: "x", Private: true, Cost: entry.Constant,
		Fn: entry.IsKind(value.Kinds(value.KindType, value.KindProtocol))},
	{NS: "clojure.core", Name: "%supers", Args: "x", Private: true, Cost: entry.PerElement, Fn: classSupers},
	{NS: "clojure.core", Name: "methods", Args: "multifn", Cost: entry.Constant, Fn: methods,
		Doc: "Returns the methods of a multimethod, a map from dispatch value to function.",
		Examples: []string{"(do (defmulti f identity) (defmethod f 1 [_] :one) (keys (methods f))) => (1)",
			"(methods 1) !wrong-type"}},
	{NS: "clojure.core", Name: "get-method", Args: "multifn dispatch-val", Cost: entry.PerElement, Fn: getMethod,
		Doc: "Returns the method that a multimethod chooses for a dispatch value, nil if there is none.",
		Examples: []string{"(do (defmulti f identity) (defmethod f 1 [_] :one) [((get-method f 1) 1) (get-method f 2)]) => " +
			"[:one nil]"}},
	{NS: "clojure.core", Name: "remove-method", Args: "multifn dispatch-val", Cost: entry.Constant, Fn: removeMethod,
		Doc: "Removes the method for a dispatch value from a multimethod. Returns the multimethod.",
		Examples: []string{"(do (defmulti f identity) (defmethod f 1 [_] :one) (remove-method f 1) (count (methods f))) => " +
			"0"}},
	{NS: "clojure.core", Name: "remove-all-methods", Args: "multifn", Cost: entry.Constant, Fn: removeAllMethods,
		Doc: "Removes all methods from a multimethod. Returns the multimethod.",
		Examples: []string{"(do (defmulti f identity) (defmethod f 1 [_] :one) (remove-all-methods f) (count (methods f))) " +
			"=> 0"}},
	{NS: "clojure.core", Name: "prefer-method", Args: "multifn dispatch-val-x dispatch-val-y", Cost: entry.PerElement,
		Fn:  preferMethod,
		Doc: "Makes a multimethod prefer the method of one dispatch value to that of another if both match.",
		Examples: []string{"(do (derive ::c ::a) (derive ::c ::b) (defmulti f identity) (defmethod f ::a [_] :a) " +
			"(defmethod f ::b [_] :b) (prefer-method f ::a ::b) (f ::c)) => :a"}},
	{NS: "clojure.core", Name: "prefers", Args: "multifn", Cost: entry.Constant, Fn: prefers,
		Doc: "Returns the preferences of a multimethod, a map from dispatch value to the set of the values it is " +
			"preferred to.",
		Examples: []string{"(do (defmulti f identity) (prefer-method f :a :b) (prefers f)) => {:a #{:b}}"}},
	{NS: "clojure.core", Name: "isa?", Args: "child parent | h child parent", Cost: entry.PerElement, Fn: isa,
		Doc: "Returns true if child equals parent, derives from it in a hierarchy (the global one unless given), or is a " +
			"class that extends it. " +
			"Vectors are compared element by element.",
		Examples: []string{"(do (derive ::dog ::pet) [(isa? ::dog ::pet) (isa? ::pet ::dog) (isa? [::dog 1] [::pet 1])]) " +
			"=> [true false true]",
			"(isa? Long Number) => true"}},
}

func makeMulti(t *value.Task, args []value.Value) value.Value {
	return t.MultiFn(args[0].AsString().S, args[1], args[2], args[3])
}

// isMulti reports whether a var holds a multimethod.
func isMulti(t *value.Task, args []value.Value) value.Value {
	v, ok := t.Host.VarRoot(args[0].AsVar())
	return value.Bool(ok && v.Kind() == value.KindMultiFn)
}

func wantMulti(t *value.Task, who string, v value.Value) *value.MultiFn {
	if isPrintMethod(v) {
		return printMethods(t, v)
	}
	if isPrelude(v, "clojure.test", "report") {
		return reportMethods(t, v)
	}
	if isDispatch(v) {
		return wantDispatch(t, v)
	}
	if v.Kind() != value.KindMultiFn {
		t.Fail(diag.WrongType, "%s: got %s, want a multimethod", who, value.Describe(t, v))
	}
	return v.AsMultiFn()
}

func addMethod(t *value.Task, args []value.Value) value.Value {
	m := wantMulti(t, "defmethod", args[0])
	t.Owns(value.Of(&m.Header), "multimethod")
	m.Methods = t.MapAssoc(m.Methods, args[1], args[2])
	return args[0]
}

func multiDispatch(t *value.Task, args []value.Value) value.Value {
	return wantMulti(t, "call", args[0]).Dispatch
}

// multiMethod returns the method for a dispatch value and fails if there is none.
func multiMethod(t *value.Task, args []value.Value) value.Value {
	m := wantMulti(t, "call", args[0])
	f := findMethod(t, m, args[1])
	if f.IsNil() {
		t.FailHint(diag.IllegalArgument, "define it: (defmethod "+m.Name+" …), or one for :default",
			"No method in multimethod '%s' for dispatch value: %s", m.Name, dispatchText(t, args[1]))
	}
	return f
}

func dispatchText(t *value.Task, v value.Value) string {
	if v.IsNil() {
		return "null"
	}
	if v.IsString() {
		return v.AsString().S
	}
	return value.Show(t, v)
}

// methods returns a hash map: the order of the definitions does not show.
func methods(t *value.Task, args []value.Value) value.Value {
	table := wantMulti(t, "methods", args[0]).Methods
	if table.IsNil() || value.MapCount(table) == 0 {
		return value.EmptyMap
	}
	kvs := t.Vals(2 * value.MapCount(table))[:0]
	for it := value.NewMapIter(table); it.Next(); {
		t.Work(1)
		kvs = append(kvs, it.Key, it.Val)
	}
	return t.HashMapOf(kvs)
}

func getMethod(t *value.Task, args []value.Value) value.Value {
	f := findMethod(t, wantMulti(t, "get-method", args[0]), args[1])
	if f.IsNil() && isPrintMethod(args[0]) {
		return plainPrinter
	}
	return f
}

func removeMethod(t *value.Task, args []value.Value) value.Value {
	m := wantMulti(t, "remove-method", args[0])
	t.Owns(value.Of(&m.Header), "multimethod")
	m.Methods = t.MapDissoc(m.Methods, args[1])
	return args[0]
}

func removeAllMethods(t *value.Task, args []value.Value) value.Value {
	m := wantMulti(t, "remove-all-methods", args[0])
	t.Owns(value.Of(&m.Header), "multimethod")
	m.Methods, m.Prefers = value.EmptyMap, value.EmptyMap
	return args[0]
}

func preferMethod(t *value.Task, args []value.Value) value.Value {
	m := wantMulti(t, "prefer-method", args[0])
	t.Owns(value.Of(&m.Header), "multimethod")
	x, y := args[1], args[2]
	if preferred(t, m, hierarchyOf(t, m), y, x) {
		t.Fail(diag.IllegalState, "Preference conflict in multimethod '%s': %s is already preferred to %s",
			m.Name, value.Show(t, y), value.Show(t, x))
	}
	set, ok := t.MapGet(m.Prefers, x)
	if !ok {
		set = value.EmptySet
	}
	m.Prefers = t.MapAssoc(m.Prefers, x, t.SetConj(set, y))
	return args[0]
}

func prefers(t *value.Task, args []value.Value) value.Value {
	return wantMulti(t, "prefers", args[0]).Prefers
}

// findMethod returns the method for a dispatch value: the preferred one among those whose value is
// an ancestor, else the default, else nil.
func findMethod(t *value.Task, m *value.MultiFn, val value.Value) value.Value {
	if f, ok := t.MapGet(m.Methods, val); ok && value.MapCount(m.Prefers) == 0 {
		return f
	}
	h := hierarchyOf(t, m)
	var best, f value.Value
	found := false
	for it := value.NewMapIter(m.Methods); it.Next(); {
		t.Work(1)
		if !isA(t, h, val, it.Key) {
			continue
		}
		if !found || dominates(t, m, h, it.Key, best) {
			found, best, f = true, it.Key, it.Val
		}
		if !dominates(t, m, h, best, it.Key) {
			t.Fail(diag.IllegalArgument, "Multiple methods in multimethod '%s' match dispatch value: %s -> %s and %s, and "+
				"neither is preferred",
				m.Name, dispatchText(t, val), value.Show(t, it.Key), value.Show(t, best))
		}
	}
	if !found {
		f, _ = t.MapGet(m.Methods, m.Default)
	}
	return f
}

func dominates(t *value.Task, m *value.MultiFn, h, x, y value.Value) bool {
	return value.MapCount(m.Prefers) > 0 && preferred(t, m, h, x, y) || isA(t, h, x, y)
}

// The keys of a hierarchy.
var keyParents, keyAncestors = value.ConstKeyword("parents"), value.ConstKeyword("ancestors")

// maxHierarchy bounds the levels of a hierarchy through which preferences are followed, and the
// nesting of dispatch values. Both use the Go stack.
const maxHierarchy = 200

// preferred reports whether the method of x, or of one of its ancestors, is preferred to that of y
// or of one of its ancestors.
func preferred(t *value.Task, m *value.MultiFn, h, x, y value.Value) bool {
	return preferredWithin(t, m, h, x, y, maxHierarchy)
}

func preferredWithin(t *value.Task, m *value.MultiFn, h, x, y value.Value, depth int) bool {
	t.Work(1)
	if depth == 0 {
		return false
	}
	if set, ok := t.MapGet(m.Prefers, x); ok {
		if _, ok := t.SetGet(set, y); ok {
			return true
		}
	}
	for it := value.NewMapIter(parentsOf(t, h, y)); it.Next(); {
		if preferredWithin(t, m, h, x, it.Key, depth-1) {
			return true
		}
	}
	for it := value.NewMapIter(parentsOf(t, h, x)); it.Next(); {
		if preferredWithin(t, m, h, it.Key, y, depth-1) {
			return true
		}
	}
	return false
}

func parentsOf(t *value.Task, h, x value.Value) value.Value {
	parents, _ := t.MapGet(h, keyParents)
	set, ok := t.MapGet(parents, x)
	if !ok {
		return value.EmptySet
	}
	return set
}

// globalHierarchy returns the atom of the run's hierarchy; it holds nil until
// something is derived.
func globalHierarchy(t *value.Task, _ []value.Value) value.Value {
	return t.Host.Cell("clojure.core/global-hierarchy")
}

// hierarchyOf returns the hierarchy that a multimethod uses, a map or nil.
func hierarchyOf(t *value.Task, m *value.MultiFn) value.Value {
	h := m.Hierarchy
	if h.IsNil() {
		h = globalHierarchy(t, nil)
	}
	if h.Kind() == value.KindVar {
		h = t.Host.VarGet(h.AsVar())
	}
	if h.Kind() == value.KindAtom {
		h = h.AsAtom().Val
	}
	if !h.Is(value.Maps) {
		return value.EmptyMap
	}
	return h
}

func isa(t *value.Task, args []value.Value) value.Value {
	if len(args) == 3 {
		if !args[0].Is(value.Maps) {
			t.Fail(diag.WrongType, "isa?: got %s, want a hierarchy", value.Describe(t, args[0]))
		}
		return value.Bool(isA(t, args[0], args[1], args[2]))
	}
	h := globalHierarchy(t, nil).AsAtom().Val
	if h.IsNil() {
		h = value.EmptyMap
	}
	return value.Bool(isA(t, h, args[0], args[1]))
}

// isA reports whether child is parent or derives from it.
func isA(t *value.Task, h, child, parent value.Value) bool {
	return isAWithin(t, h, child, parent, maxHierarchy)
}

// isAWithin is isA for vectors nested no deeper than depth.
func isAWithin(t *value.Task, h, child, parent value.Value, depth int) bool {
	if value.Equal(t, child, parent) {
		return true
	}
	ancestors, _ := t.MapGet(h, keyAncestors)
	if set, ok := t.MapGet(ancestors, child); ok {
		if _, ok := t.SetGet(set, parent); ok {
			return true
		}
	}
	if child.Kind() == value.KindType {
		return parent.Kind() == value.KindType && typeExtends(child.AsType(), parent.AsType()) ||
			parent.Kind() == value.KindProtocol && !inlineMethods(t, child.AsType(), parent).IsNil() ||
			classDerives(t, ancestors, child.AsType(), parent)
	}
	if !child.Is(value.Vectors) || !parent.Is(value.Vectors) || value.VecCount(child) != value.VecCount(parent) {
		return false
	}
	if depth == 0 {
		t.Fail(diag.NestingTooDeep, "isa?: vectors nested deeper than %d levels", maxHierarchy)
	}
	for i := range value.VecCount(child) {
		t.Work(1)
		if !isAWithin(t, h, value.VecAt(child, i), value.VecAt(parent, i), depth-1) {
			return false
		}
	}
	return true
}

// typeExtends reports whether a class or record type extends a class.
func typeExtends(child, parent *value.RecordType) bool {
	if !child.Class {
		return parent.Class && (parent.Name == jclass.ObjectClass ||
			jclass.AnyExtends(jclass.SupersOfType(child), parent.Name) ||
			jclass.Implements(child, parent.Name))
	}
	return parent.Class && jclass.Extends(child.Name, parent.Name)
}

// classDerives reports whether a class that child extends was derived from parent.
func classDerives(t *value.Task, ancestors value.Value, child *value.RecordType, parent value.Value) bool {
	for it := value.NewMapIter(ancestors); it.Next(); {
		t.Work(1)
		if !(it.Key.Kind() == value.KindType && typeExtends(child, it.Key.AsType()) ||
			it.Key.Kind() == value.KindProtocol && !inlineMethods(t, child, it.Key).IsNil()) {
			continue
		}
		if _, ok := t.SetGet(it.Val, parent); ok {
			return true
		}
	}
	return false
}

// classBases returns the classes that a class extends directly; nil for a value that is not a
// class.
func classBases(t *value.Task, args []value.Value) value.Value {
	if args[0].Kind() != value.KindType {
		return value.Nil
	}
	return classList(t, args[0].AsType(), directSupers(args[0].AsType()))
}

// classSupers returns all classes that a class extends; nil for a value that is not a class.
func classSupers(t *value.Task, args []value.Value) value.Value {
	if args[0].Kind() != value.KindType || args[0].AsType().Name == jclass.ObjectClass {
		return value.Nil
	}
	all := []string{jclass.ObjectClass}
	next := directSupers(args[0].AsType())
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if !slices.Contains(all, name) {
			all = append(all, name)
			next = append(next, strings.Fields(jclass.SupersOf(name))...)
		}
	}
	return classList(t, args[0].AsType(), all)
}

func directSupers(typ *value.RecordType) []string {
	if !typ.Class {
		all := append([]string{jclass.ObjectClass}, strings.Fields(jclass.SupersOfType(typ))...)
		for it := value.NewMapIter(typ.Impls); it.Next(); {
			if it.Key.Kind() == value.KindType && it.Key.AsType().Class && !slices.Contains(all, it.Key.AsType().Name) {
				all = append(all, it.Key.AsType().Name)
			}
		}
		return all
	}
	if parent := diag.ParentClass(typ.Name); parent != "" {
		return []string{parent}
	}
	return strings.Fields(jclass.SupersOf(typ.Name))
}

// classList returns the classes with some names, and the protocols that the definition of typ implements,
// each in place of its interface.
func classList(t *value.Task, typ *value.RecordType, names []string) value.Value {
	protocols := 0
	for it := value.NewMapIter(typ.Impls); it.Next(); {
		if it.Key.Kind() == value.KindProtocol {
			protocols++
		}
	}
	vals := t.Vals(protocols + len(names))
	for i, name := range names {
		vals[i], _ = jclass.Class(name)
	}
	for i, it := len(names), value.NewMapIter(typ.Impls); it.Next(); {
		if it.Key.Kind() == value.KindProtocol {
			vals[i] = it.Key
			i++
		}
	}
	return t.SeqOf(vals)
}

// badDerive fails for an invalid derivation.
func badDerive(t *value.Task, args []value.Value) value.Value {
	e := t.NewException(diag.IllegalArgument, args[0].AsString().S)
	e.Class = "java.lang.Exception"
	t.Throw(e)
	return value.Nil
}

func noDescendants(t *value.Task, _ []value.Value) value.Value {
	t.Fail(diag.NotSupported, "Can't get descendants of classes")
	return value.Nil
}
