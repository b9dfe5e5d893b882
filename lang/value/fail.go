// This file defines failures that many functions share: values that are not collections, and values
// that are not numbers.

package value

import (
	"fmt"

	"github.com/ptc-lang/ptc/lang/diag"
)

// FailSeq throws for a value that is not a collection.
func (t *Task) FailSeq(v Value) {
	t.FailHint(diag.IllegalArgument, SeqHint(t, v), "Don't know how to create ISeq from: %s", ClassName(v))
}

// SeqHint returns a hint about a value that was passed as a collection.
func SeqHint(t *Task, v Value) string {
	hint := "got " + Describe(t, v) + ", want a collection"
	if v.Is(Kinds(KindFn, KindNative)) {
		hint += ": check the order of the arguments; " +
			"the function comes first, as in (map f coll) or (reduce f init coll)"
	}
	return hint
}

// NumberHint returns a hint about the likely origin of a value that was passed as a number.
func NumberHint(v Value) string {
	switch v.Kind() {
	case KindNil:
		return "a look-up of a missing key returns nil: check the key (:a and \"a\" differ), " +
			"or supply a default, as in (get m k 0) or (or x 0)"
	case KindString:
		if s := v.AsString().S; len(s) >= len("2006-01-02") && s[4] == '-' && s[7] == '-' && s[0] >= '0' && s[0] <= '9' {
			return "(compare a b) orders dates as strings; (.between java.time.temporal.ChronoUnit/DAYS a b) counts the days " +
				"between two that (java.time.LocalDate/parse s) returns"
		}
		return "use (parse-long s) or (parse-double s) to parse a number from a string"
	case KindChar:
		return "use (parse-long (str c)) for a digit, (int c) for the code point"
	case KindAtom, KindRef, KindFuture, KindVolatile, KindDelay:
		return "use @ to read its value"
	}
	return ""
}

// notNumberFor throws for an operand of who that is not a number.
func (t *Task) notNumberFor(who string, v Value) {
	code := diag.WrongType
	if v.IsNil() {
		code = diag.NilValue
	}
	t.FailHint(code, NumberHint(v), "%s", who+"got "+Describe(t, v)+", want a number")
}

// FailWant throws for an argument of the wrong type: nil-value for nil, otherwise wrong-type.
func (t *Task) FailWant(what string, v Value, want string) {
	code := diag.WrongType
	if v.IsNil() {
		code = diag.NilValue
	}
	t.Fail(code, "%s: got %s, want %s", what, Describe(t, v), want)
}

func (t *Task) notNumber(v Value) { t.notNumberFor("", v) }

// failCast throws Java's exception for a value that is not of a class.
func (t *Task) failCast(who string, v Value, class string) {
	hint := fmt.Sprintf("%s: got %s, want %s", who, Describe(t, v), classWords(class))
	if v.h == nil {
		t.Fail(diag.NilValue, "%s", hint)
	}
	t.FailHint(diag.WrongType, hint, "%s: class %s cannot be cast to class %s", who, ClassName(v), class)
}

// classWords returns a plain description of a class of Clojure that functions require, or the class
// itself.
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
	t.FailHint(diag.IllegalArgument,
		"contains? looks for a key in a map, set or vector; (some #{x} coll) looks for an element",
		"contains? not supported on type: %s", ClassName(coll))
}
