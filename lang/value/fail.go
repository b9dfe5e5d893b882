// This file defines failures that many functions share: what is no collection, and
// what is no number.

package value

import (
	"fmt"

	"github.com/ptc-lang/ptc/lang/diag"
)

// FailSeq throws for a value that is no collection.
func (t *Task) FailSeq(v Value) {
	t.FailHint(diag.IllegalArgument, SeqHint(t, v), "Don't know how to create ISeq from: %s", ClassName(v))
}

// SeqHint tells of a value that stands in the place of a collection.
func SeqHint(t *Task, v Value) string {
	hint := "got " + Describe(t, v) + ", want a collection"
	if v.Is(Kinds(KindFn, KindNative)) {
		hint += ": are the arguments in the right order? the function comes first, as in (map f coll) or (reduce f init coll)"
	}
	return hint
}

// NumberHint tells where a value that stands in the place of a number may come from.
func NumberHint(v Value) string {
	switch v.Kind() {
	case KindNil:
		return "a look-up that finds nothing gives nil: check the key (:a and \"a\" differ), or give a default, as in (get m k 0) or (or x 0)"
	case KindString:
		return "(parse-long s) or (parse-double s) gives the number in a text"
	case KindChar:
		return "(parse-long (str c)) reads a digit, (int c) gives the code"
	case KindAtom, KindRef, KindVolatile, KindDelay:
		return "@ gives the value in it"
	}
	return ""
}

// notNumberFor throws for an operand of who that is no number.
func (t *Task) notNumberFor(who string, v Value) {
	code := diag.WrongType
	if v.IsNil() {
		code = diag.NilValue
	}
	t.FailHint(code, NumberHint(v), "%s", who+"got "+Describe(t, v)+", want a number")
}

func (t *Task) notNumber(v Value) { t.notNumberFor("", v) }

// failCast throws what Java throws when a value is not of a class.
func (t *Task) failCast(who string, v Value, class string) {
	hint := fmt.Sprintf("%s: got %s, want %s", who, Describe(t, v), classWords(class))
	if v.h == nil {
		t.Fail(diag.NilValue, "%s", hint)
	}
	t.FailHint(diag.WrongType, hint, "%s: class %s cannot be cast to class %s", who, ClassName(v), class)
}

// classWords gives the words for a class of Clojure that functions ask for, the class
// itself if there are none.
func classWords(class string) string {
	switch class {
	case "java.util.Comparator":
		return "a function that compares"
	case "clojure.lang.IObj":
		return "a collection, symbol or function, which can have metadata"
	case "clojure.lang.IPersistentMap":
		return "a map"
	case "clojure.lang.Associative":
		return "a map or vector"
	case "clojure.lang.IPersistentCollection":
		return "a collection"
	case "java.util.Map$Entry":
		return "a pair [key value]"
	case "clojure.lang.IPersistentStack":
		return "a vector, list or queue"
	case "clojure.lang.IEditableCollection":
		return "a vector, hash map or hash set"
	case "clojure.lang.ITransientCollection":
		return "a transient collection"
	case "clojure.lang.ITransientAssociative":
		return "a transient map or vector"
	case "clojure.lang.ITransientMap":
		return "a transient map"
	case "clojure.lang.ITransientSet":
		return "a transient set"
	case "clojure.lang.ITransientVector":
		return "a transient vector"
	}
	return class
}

func (t *Task) failContains(coll Value) {
	t.FailHint(diag.IllegalArgument, "contains? looks for a key in a map, set or vector; (some #{x} coll) looks for an element",
		"contains? not supported on type: %s", ClassName(coll))
}
