// This file defines the methods that call functions of the program. A call of one expands to a call of a function of
// the prelude, because a builtin calls no function.

package java

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

// methodSpace is the namespace of the functions.
const methodSpace = "clojure.java.methods"

func callbacks() []entry.Entry {
	calls := func(name, function, args, doc, example string, n int) entry.Entry {
		return entry.Entry{NS: ".", Name: name, Args: "x " + args, Cost: entry.Syntax, Doc: doc, Examples: []string{example},
			Macro: func(x *expand.Expansion, form value.Value) value.Value {
				return x.Call(form, x.Args(form, n, n, "(."+name+" object "+args+")"), x.T.Symbol(methodSpace, function))
			}}
	}
	return []entry.Entry{
		calls("map", "map-optional", "f", "Returns an Optional of (f x) of the value of an Optional.",
			`(.get (.map (java.util.Optional/of 1) inc)) => 2`, 2),
		calls("filter", "filter-optional", "f", "Returns an Optional if (f x) is true of its value, or else an empty one.",
			`(.isPresent (.filter (java.util.Optional/of 1) even?)) => false`, 2),
		calls("flatMap", "flat-map-optional", "f", "Returns (f x) of the value of an Optional, which is an Optional.",
			`(.get (.flatMap (java.util.Optional/of 1) (fn [x] (java.util.Optional/of [x])))) => [1]`, 2),
		calls("orElseGet", "or-else-get", "f", "Returns the value of an Optional, or (f).",
			`(.orElseGet (java.util.Optional/empty) (fn [] 1)) => 1`, 2),
		calls("ifPresent", "if-present", "f", "Calls f with the value of an Optional.",
			`(.ifPresent (java.util.Optional/empty) println) => nil`, 2),
		calls("forEach", "for-each", "f", "Calls f with each element of a collection, or with each key and value of a map.",
			`(with-out-str (.forEach (java.util.ArrayList. [1 2]) print)) => "12"`, 2),
		calls("removeIf", "remove-if", "f", "Removes the elements of a mutable collection for which f returns true. Returns "+
			"true if there were any.",
			`(let [l (java.util.ArrayList. [1 2 3])] (.removeIf l odd?) (vec l)) => [2]`, 2),
		calls("sort", "sort-list", "cmp", "Sorts a mutable list by a comparator, or nil.",
			`(let [l (java.util.ArrayList. [2 1])] (.sort l nil) (vec l)) => [1 2]`, 2),
		calls("compute", "compute", "k f", "Sets the value of a key of a mutable map to (f key old), or removes it for nil.",
			`(let [m (java.util.HashMap. {:a 1})] (.compute m :a (fn [k x] (inc x))) (.get m :a)) => 2`, 3),
		calls("computeIfAbsent", "compute-if-absent", "k f", "Sets the value of a key that has none to (f key). Returns the "+
			"value.", `(.computeIfAbsent (java.util.HashMap.) :a name) => "a"`, 3),
		calls("computeIfPresent", "compute-if-present", "k f", "Sets the value of a key that has one to (f key old).",
			`(.computeIfPresent (java.util.HashMap.) :a (fn [k x] x)) => nil`, 3),
		calls("merge", "merge-value", "k x f", "Sets the value of a key to x, or to (f old x) if it has one. Returns it.",
			`(.merge (java.util.HashMap. {:a 1}) :a 2 +) => 3`, 4),
	}
}
