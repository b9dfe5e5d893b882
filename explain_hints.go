// This file defines hints at the probable meaning of a call that failed in a run, from its text and its error.

package ptc

import (
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
)

// failedCall returns the texts of the parts of the call that failed, none if they are not known.
func failedCall(e *diag.Error) (texts []string) {
	parts, _, ok := diag.Written(e.Span.File, e.Span.Start)
	if !ok {
		return nil
	}
	for _, part := range parts {
		texts = append(texts, spanText(part))
	}
	return texts
}

// notNumber returns a hint at a call whose operand is no number, "" if it knows none. got describes the operand.
func notNumber(e *diag.Error, got string) string {
	call := failedCall(e)
	if i := strings.LastIndex(got, " for "); i > 0 && strings.HasSuffix(got[:i], ")") {
		got = got[:i]
	}
	switch {
	case got == "nil" || got == "nil for x" || strings.HasPrefix(got, "nil for x "):
		return nilNumber(e, call)
	case strings.HasPrefix(got, "the function ") && len(call) > 1 && !slices.Contains(call[1:], call[0]):
		return "a call has parentheses: (f x) is the value of the function f"
	case strings.HasPrefix(got, "the function ") && len(call) > 3 && slices.Contains(call[1:], call[0]):
		return "the function stands in front once: (" + call[0] + " a b c) compares each value with the next"
	case len(call) > 2 && call[0] == "reduce" && strings.HasSuffix(got, "(keyword)"):
		return "(reduce + (map " + call[2] + " coll)) takes the values out of the elements first"
	case len(call) > 0 && call[0] == "apply" && strings.HasSuffix(got, "(map)"):
		return "the elements are maps: take a value out of each, as in (apply max (map :price coll))"
	case strings.HasPrefix(got, "#object[java.time."):
		return "(compare a b) orders dates and times, (.isAfter a b) and (.isBefore a b) compare two"
	case len(call) == 2 && call[0] == "range":
		return "(range (count coll)) counts the indexes; (map-indexed (fn [i x] …) coll) passes them"
	}
	return ""
}

// nilNumber is notNumber for nil: an update of a key that is not there, or a string that is no number.
func nilNumber(e *diag.Error, call []string) string {
	text := ""
	if len(call) == 0 {
		text = spanText(e.Span)
	} else {
		text = strings.Join(call, " ")
	}
	if strings.Contains(text, "parse-long") || strings.Contains(text, "parse-double") {
		return "parse-long and parse-double return nil for a string that is no number, such as \"\" or \"n/a\"; " +
			"parse-long also for \"1.5\": (or (parse-double s) 0) has a default"
	}
	if len(call) < 3 || !strings.HasPrefix(call[0], "update") && call[0] != "swap!" && call[0] != "vswap!" {
		return ""
	}
	for i := 2; i < len(call); i++ {
		if f := builtins.Core(call[i]); f.Arithmetic() {
			zero := "0"
			if call[i] == "*" || call[i] == "/" {
				zero = "1"
			}
			why := "the key is not there yet: "
			if i == 2 && strings.HasSuffix(call[0], "swap!") {
				why = call[1] + " holds nil: "
			}
			call[i] = "(fnil " + call[i] + " " + zero + ")"
			return why + diag.Clipped("("+strings.Join(call, " ")+")") + " begins with " + zero
		}
	}
	return "the key is not there yet: (fnil f 0) is the function f, which gets 0 in place of nil"
}

// meantBy returns a hint at what a call that failed was meant to be, "" if it knows none.
func meantBy(e *diag.Error) string {
	call := failedCall(e)
	if len(call) == 0 {
		return ""
	}
	head := call[0]
	is := func(code diag.Code, part string) bool { return e.Code == code && strings.Contains(e.Message, part) }
	switch {
	case is(diag.BadArity, "args (0)") && head == "reduce" && len(call) == 3:
		return "the collection is empty, and reduce without a start value calls the function with no arguments: " +
			diag.Clipped("(reduce "+call[1]+" 0 "+call[2]+")") + " returns the start value then"
	case is(diag.BadArity, "args (0)") && head == "apply" && len(call) == 3:
		return "the collection is empty: " + diag.Clipped("(when (seq xs) (apply "+call[1]+" xs))") + " returns nil then"
	case (head == "sort" || head == "sort-by") && is(diag.WrongType, "cannot compare"):
		return "the values have different types: (sort-by str coll) orders them as strings"
	case e.Hint != "":
		return ""
	case is(diag.WrongType, "want an atom") || is(diag.WrongType, "want a future") && head != "await":
		return "check the order of the arguments; (def a (atom 0)) makes an atom, (swap! a inc) changes it"
	case head == "ex-info" && is(diag.WrongType, "want a map"):
		return "the data of an exception is a map: (ex-info \"message\" {:key value})"
	case is(diag.WrongType, "DateTimeFormatter"):
		return "(java.time.format.DateTimeFormatter/ofPattern \"yyyy-MM-dd\") makes a formatter"
	case (head == "await" || head == "deref") && e.Code == diag.WrongType:
		return "a call waits for its result: leave " + head + " out"
	case head == "into" && is(diag.IllegalArgument, "want a collection") && len(call) > 1 && call[1] == "{}":
		return "an element of a map is a pair: (into {} (map (fn [x] [(:key x) (:value x)]) coll)), (zipmap keys values)"
	case (head == "conj" || head == "merge") && is(diag.IllegalArgument, "(keyword), want"):
		return "(assoc m k v) takes a key and a value; conj and merge take maps"
	case (head == "concat" || head == "into") && is(diag.IllegalArgument, "want a collection"):
		return "(conj coll x) adds one element to a collection"
	case (head == "doseq" || head == "for") && is(diag.IllegalArgument, "(integer), want"):
		return "(range n) are the numbers below n; (dotimes [i n] …) repeats something n times"
	case head == "dotimes" && is(diag.WrongType, "want a number"):
		return "dotimes takes a number; (doseq [x coll] …) goes over a collection"
	case is(diag.OutOfRange, "nth: "):
		return "the first index is 0; (get v i) and (nth coll i nil) return nil for an index that is not there"
	case head == "subs" && e.Code == diag.OutOfRange:
		return "(subs s 0 (min 10 (count s))) takes at most 10 characters"
	case strings.HasSuffix(head, "]") && e.Code == diag.OutOfRange:
		return "the first index is 0; (get v i) returns nil for an index that is not there"
	case strings.HasSuffix(head, "/parse") && is(diag.IllegalArgument, "could not be parsed"):
		return "a date is written as 2024-01-02, a time as 09:30:00, both as 2024-01-02T09:30:00"
	case (head == "sort-by" || head == "sort") && is(diag.WrongType, "as comparator"):
		return "(sort-by f > coll) sorts numbers downwards, (reverse (sort-by f coll)) other values"
	case head == "compare" && is(diag.WrongType, "cannot compare"):
		return "compare takes two values of one type: (compare (str a) (str b))"
	case is(diag.OutOfRange, "No group"):
		return "$1 is the first group in parentheses of the pattern"
	}
	return ""
}
