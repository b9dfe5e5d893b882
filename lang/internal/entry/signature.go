// This file defines the notation of the parameters of an entry, and their checks.

package entry

import (
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/value"
)

// kindNames are the names that may follow the colon of a parameter. The error of a wrong argument depends
// on the name, as it does in Clojure.
var kindNames = sync.OnceValue(func() map[string]value.KindSet {
	return map[string]value.KindSet{
		"num":       value.Numbers,
		"num?":      value.Numbers | value.Kinds(value.KindNil),
		"int":       value.Kinds(value.KindInt),
		"integer":   value.Integers,
		"string":    value.Kinds(value.KindString),
		"string?":   value.Kinds(value.KindString, value.KindNil),
		"chars":     charSequences,
		"chars?":    charSequences | value.Kinds(value.KindNil),
		"char":      value.Kinds(value.KindChar),
		"keyword":   value.Kinds(value.KindKeyword),
		"symbol":    value.Kinds(value.KindSymbol),
		"seqable":   value.Seqables,
		"coll":      value.Colls,
		"coll?":     value.Colls | value.Kinds(value.KindNil),
		"vector":    value.Vectors,
		"map":       value.Maps,
		"map?":      value.Maps | value.Kinds(value.KindNil),
		"maplike?":  value.Maps | value.Kinds(value.KindNil, value.KindObject),
		"set":       value.Sets,
		"setlike?":  value.Sets | value.Kinds(value.KindNil, value.KindObject),
		"atom":      value.Kinds(value.KindAtom),
		"ref":       value.Kinds(value.KindRef),
		"cell":      value.Kinds(value.KindAtom, value.KindRef, value.KindFuture, value.KindVar),
		"future":    value.Kinds(value.KindFuture),
		"volatile":  value.Kinds(value.KindVolatile),
		"regex":     value.Kinds(value.KindRegex),
		"exception": value.Kinds(value.KindException),
		"transient": value.Kinds(value.KindTransientVector, value.KindTransientMap, value.KindTransientSet),
		"named":     value.Kinds(value.KindString, value.KindKeyword, value.KindSymbol),
		"bool":      value.Kinds(value.KindBool),
		"var":       value.Kinds(value.KindVar),
		"box":       value.Kinds(value.KindBox),
		"matcher":   value.Kinds(value.KindMatcher),
	}
})

func parseSignatures(args string) []Signature {
	var sigs []Signature
	for _, arity := range strings.Split(args, "|") {
		var s Signature
		for _, word := range strings.Fields(arity) {
			if word == "&" {
				s.Rest = true
				continue
			}
			name, kind, typed := strings.Cut(word, ":")
			set := value.AnyKind
			if typed {
				var ok bool
				if set, ok = kindNames()[kind]; !ok {
					panic("entry: no kind named " + kind)
				}
			}
			s.Names = append(s.Names, name)
			s.Kinds = append(s.Kinds, set)
		}
		sigs = append(sigs, s)
	}
	return sigs
}

// Prepare reads the head of a prelude form and the signature, and adds the checks to Fn.
func (e *Entry) Prepare() {
	if e.Source != "" {
		e.readHead()
	}
	e.sigs = parseSignatures(e.Args)
	if e.Fn == nil {
		return
	}
	if strings.Contains(e.Args, ":chars") {
		e.Fn = e.onStrings(e.Fn)
	}
	for n := range e.exact {
		if s := e.signature(n); s != nil {
			e.exact[n] = e.checkKinds(s, n)
		}
	}
	least, most := e.Arity()
	name := e.Name
	if e.NS != "clojure.core" {
		name = e.Qualified()
	}
	e.native = value.ConstNative(value.Native{Name: name, Fn: e.checked, Min: least, Max: most, Entry: e})
}

// signature returns the arity that takes n arguments, nil if there is none.
func (e *Entry) signature(n int) *Signature {
	var rest *Signature
	for i := range e.sigs {
		switch s := &e.sigs[i]; {
		case !s.Rest && len(s.Names) == n:
			return s
		case s.Rest && n >= len(s.Names)-1:
			rest = s
		}
	}
	return rest
}

// Exact returns Fn for calls with n arguments, a number that the entry takes. It checks only the
// kinds that the parameters name.
func (e *Entry) Exact(n int) value.NativeFunc {
	s := e.signature(n)
	switch {
	case s == nil:
		return e.checked
	case n < len(e.exact):
		return e.exact[n]
	}
	return e.checkKinds(s, n)
}

// checked is Fn with checks of the arity and, if parameters name kinds, of the arguments.
func (e *Entry) checked(t *value.Task, args []value.Value) value.Value {
	n := len(args)
	if n < len(e.exact) {
		if fn := e.exact[n]; fn != nil {
			return fn(t, args)
		}
	}
	s := e.signature(n)
	if s == nil {
		e.failArity(t, n)
	}
	for i, a := range args {
		if !a.Is(s.Kinds[min(i, len(s.Kinds)-1)]) {
			e.failKind(t, s, i, a)
		}
	}
	return e.Fn(t, args)
}

// checkKinds returns Fn with checks of the kinds of n arguments, or Fn itself if there is nothing
// to check.
func (e *Entry) checkKinds(s *Signature, n int) value.NativeFunc {
	kinds := make([]value.KindSet, n)
	typed := 0 // number of the arguments that may need a check
	for i := range kinds {
		kinds[i] = s.Kinds[min(i, len(s.Kinds)-1)]
		if kinds[i] != value.AnyKind {
			typed = i + 1
		}
	}
	fn := e.Fn
	switch typed {
	case 0:
		return fn
	case 1:
		first := kinds[0]
		return func(t *value.Task, args []value.Value) value.Value {
			if !args[0].Is(first) {
				e.failKind(t, s, 0, args[0])
			}
			return fn(t, args)
		}
	}
	kinds = kinds[:typed]
	return func(t *value.Task, args []value.Value) value.Value {
		for i, k := range kinds {
			if !args[i].Is(k) {
				e.failKind(t, s, i, args[i])
			}
		}
		return fn(t, args)
	}
}

// Dynamic reports whether the entry is a dynamic var of the library, such as
// *print-length*.
func (e *Entry) Dynamic() bool { return e.Var }

// Refuses returns a description of the values that the builtin wants as argument i of a call with n
// arguments, if it fails for every value of the given kinds there; "" if it may accept one. It knows the
// kinds that parameters name, parameters that are functions, and parameters named coll.
func (e *Entry) Refuses(n, i int, kinds value.KindSet) string {
	s := e.signature(n)
	if s == nil || e.Macro != nil {
		return ""
	}
	want := s.Kinds[min(i, len(s.Kinds)-1)]
	if want != value.AnyKind {
		if want&kinds != 0 {
			return ""
		}
		return wantName(want)
	}
	c := e.Calls
	rest := s.Rest && i >= len(s.Names)-1
	if !rest && s.Names[i] == "coll" && kinds&^notSeqable == 0 && !e.Is(TakesAny) {
		return "a collection"
	}
	if c.Times == TimesUnknown || n < int(c.Least) || c.When == CallsNone {
		return ""
	}
	switch {
	case i >= int(c.First) && i <= int(c.Last):
		if kinds&^notCalled == 0 {
			return "a function"
		}
	case e.OverElements(n) && i == n-1 && kinds&^notSeqable == 0:
		return "a collection"
	}
	return ""
}

// notCalled are the kinds of literals that cannot be called, and notSeqable the kinds that are not collections.
var (
	notCalled  = value.Numbers | value.Kinds(value.KindString, value.KindBool, value.KindChar)
	notSeqable = value.Numbers | value.Kinds(value.KindKeyword, value.KindBool, value.KindChar, value.KindFn)
)

// OverElements reports whether the last of n arguments is a collection whose elements the builtin goes over.
func (e *Entry) OverElements(n int) bool {
	if e == nil {
		return false
	}
	s := e.signature(n)
	if s == nil || n == 0 || s.Names[min(n, len(s.Names))-1] != "coll" {
		return false
	}
	c := e.Calls
	each := c.Times == TimesElements && c.When != CallsNone
	return e.Is(Cuts) && n == 2 || each && n >= int(c.Least) && n > int(c.First)+1
}

// Passed returns the number of arguments that a call with n arguments passes to its function for each element; 0 if it
// is not known.
func (e *Entry) Passed(n int) int {
	s := e.signature(n)
	switch c := e.Calls; {
	case s == nil || c.Times != TimesElements || n < int(c.Least) || c.When == CallsNone || c.First != c.Last:
		return 0
	case c.Passes > 0:
		return int(c.Passes)
	case e.Takes(7): // of several collections
		last := e.sigs[len(e.sigs)-1]
		if last.Rest && last.Names[len(last.Names)-1] == "colls" {
			return n - int(c.First) - 1
		}
		return 0
	case e.OverElements(n):
		return 1
	}
	return 0
}

// ParameterNames returns the names of the parameters of a call with n arguments.
func (e *Entry) ParameterNames(n int) []string {
	s := e.signature(n)
	if s == nil {
		return nil
	}
	if names := s.Names; len(names) > 0 && s.Rest {
		return append(names[:len(names)-1:len(names)-1], "…")
	}
	return s.Names
}
