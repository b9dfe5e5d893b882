// This file defines the parts of Clojure's own compiler and reader that macros and libraries use: RT,
// Compiler, LispReader, Var and Namespace.

package builtins

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins/internal/java"
	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var (
	onVar       = value.Kinds(value.KindVar)
	onNamespace = value.Kinds(value.KindNamespace)
)

var valField = value.ConstKeyword("val")

// compilerEntries are methods and constructors of the compiler's classes.
func compilerEntries() []entry.Entry {
	return []entry.Entry{
		static("RT", "map", "array", "Returns a map of keys and values given alternately, each key once.",
			`(clojure.lang.RT/map (to-array [:a 1])) => {:a 1}`, mapOfArray),
		static("RT", "nextID", "", "Returns a number for a name that is not used otherwise.",
			`(int? (clojure.lang.RT/nextID)) => true`, func(t *value.Task, _ []value.Value) value.Value {
				return value.Int(int64(t.Host.Random() >> 33))
			}),
		static("new", "LispReader$StringReader", "",
			"Returns a function of a reader and a character that reads the rest of the literal of a string.",
			`((clojure.lang.LispReader$StringReader.) (java.io.StringReader. "ab\" c") nil) => "ab"`,
			func(*value.Task, []value.Value) value.Value { return stringReader }),
		static("new", "Box", "val", "Returns an object whose field val can be set.",
			`(let [b (clojure.lang.Box. 1)] (set! (.-val b) 2) (.-val b)) => 2`,
			func(t *value.Task, a []value.Value) value.Value {
				vals := t.Vals(1)
				vals[0] = a[0]
				return t.Object(t.RecordType("clojure.lang.Box", []value.Value{valField}, value.Nil).AsType(), vals)
			}),
		entry.Method("ns", "", onVar, entry.Constant, "Returns the namespace of a var.",
			`(str (.ns #'clojure.core/inc)) => "clojure.core"`, func(t *value.Task, a []value.Value) value.Value {
				return t.Namespace(a[0].AsVar().Sym.NS)
			}),
		entry.Method("sym", "", onVar|value.Kinds(value.KindKeyword), entry.Constant,
			"Returns a keyword as a symbol, or the name of a var without its namespace.", `(.sym :a/b) => a/b`,
			func(t *value.Task, a []value.Value) value.Value {
				if a[0].IsKeyword() {
					return strs.Symbol(t, a)
				}
				return t.Symbol("", a[0].AsVar().Sym.Name)
			}),
		entry.Method("name", "", onNamespace, entry.Constant, "Returns the name of a namespace as a symbol.",
			`(.name (find-ns 'clojure.core)) => clojure.core`, func(t *value.Task, a []value.Value) value.Value {
				return t.Symbol("", a[0].AsNamespace().Name)
			}),
		entry.Method("addMethod", "dispatch-val f", onMulti, entry.Constant,
			"Adds a method to a multimethod, as defmethod does.",
			`(do (defmulti f identity) (.addMethod f 1 (fn [_] :one)) (f 1)) => :one`, addMethod),
		entry.Method("getMethodTable", "", onMulti, entry.Constant, "Returns the methods of a multimethod, as methods does.",
			`(do (defmulti f identity) (defmethod f 1 [_] :one) (keys (.getMethodTable f))) => (1)`, methods),
		entry.Method("getMethod", "dispatch-val", onMulti, entry.PerElement,
			"Returns the method of a multimethod for a dispatch value, as get-method does.",
			`(do (defmulti f identity) (defmethod f 1 [_] :one) [((.getMethod f 1) 1) (.getMethod f 2)]) => [:one nil]`,
			getMethod),
	}
}

// onMulti are multimethods. Those of the library, such as print-method, are functions.
var onMulti = value.Kinds(value.KindMultiFn, value.KindFn)

// mapOfArray makes a map of an array of keys and values.
func mapOfArray(t *value.Task, a []value.Value) value.Value {
	m, vals := value.EmptyMap, t.ToVals(a[0])
	for i := 0; i+1 < len(vals); i += 2 {
		if _, dup := t.MapGet(m, vals[i]); dup {
			t.Fail(diag.IllegalArgument, "Duplicate key: %s", value.Show(t, vals[i]))
		}
		m = t.MapAssoc(m, vals[i], vals[i+1])
	}
	return m
}

// specialNames returns Clojure's special forms, as the map of their symbols that Compiler/specials is.
func specialNames() value.Value {
	var kvs []value.Value
	for name := range strings.FieldsSeq("& . case* catch def deftype* do finally fn* if let* letfn* loop* " +
		"monitor-enter monitor-exit new quote recur reify* set! throw try var") {
		kvs = append(kvs, value.ConstSymbol("", name), value.Nil)
	}
	return value.ConstMap(append(kvs, value.ConstSymbol("clojure.core", "import*"), value.Nil)...)
}

// charMap returns the names of the characters that Java does not allow in names, as Compiler/CHAR_MAP is.
func charMap() value.Value {
	var kvs []value.Value
	for name := range strings.FieldsSeq(`-_ :_COLON_ +_PLUS_ >_GT_ <_LT_ =_EQ_ ~_TILDE_ !_BANG_ @_CIRCA_ #_SHARP_
'_SINGLEQUOTE_ "_DOUBLEQUOTE_ %_PERCENT_ ^_CARET_ &_AMPERSAND_ *_STAR_ |_BAR_ {_LBRACE_ }_RBRACE_ [_LBRACK_ ]_RBRACK_
/_SLASH_ \_BSLASH_ ?_QMARK_`) {
		kvs = append(kvs, value.Char(rune(name[0])), value.ConstString(name[1:]))
	}
	return value.ConstMap(kvs...)
}

// stringReader reads the rest of the literal of a string from a reader.
var stringReader = value.ConstNative(value.Native{Name: "StringReader", Min: 2, Max: 4,
	Fn: func(t *value.Task, a []value.Value) value.Value {
		return java.ReadLiteral(t, a[0], func(text string) value.Value {
			b := t.Buf()
			b.WriteByte('"')
			b.WriteString(text)
			return coreFn("read-string")(t, []value.Value{b.Value()})
		})
	}})
