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
		calls("updateAndGet", "update-and-get", "f", "Sets an atomic object to (f value). Returns the new value.",
			`(.updateAndGet (java.util.concurrent.atomic.AtomicLong. 1) inc) => 2`, 2),
		calls("getAndUpdate", "get-and-update", "f", "Sets an atomic object to (f value). Returns the old value.",
			`(.getAndUpdate (java.util.concurrent.atomic.AtomicLong. 1) inc) => 1`, 2),
		calls("accumulateAndGet", "accumulate-and-get", "x f", "Sets an atomic object to (f value x). Returns the new value.",
			`(.accumulateAndGet (java.util.concurrent.atomic.AtomicLong. 1) 5 max) => 5`, 3),
		calls("getAndAccumulate", "get-and-accumulate", "x f", "Sets an atomic object to (f value x). Returns the old value.",
			`(.getAndAccumulate (java.util.concurrent.atomic.AtomicLong. 1) 5 max) => 1`, 3),
		calls("reversed", "reversed", "", "Returns a comparator with the opposite order.",
			`(sort (.reversed (java.util.Comparator/naturalOrder)) [1 2]) => (2 1)`, 1),
		{NS: ".", Name: "thenComparing", Args: "x by | x key by", Cost: entry.Syntax,
			Doc: "Returns a comparator that compares " +
				"equal values by another comparator, or by the value of a Function.",
			Examples: []string{`(sort (.thenComparing (java.util.Comparator/comparing count) compare) ["b" "cc" "a"]) => ` +
				`("a" "b" "cc")`},
			Macro: func(x *expand.Expansion, form value.Value) value.Value {
				return x.Call(form, x.Args(form, 2, 3, "(.thenComparing object by)"), x.T.Symbol(methodSpace, "then-comparing"))
			}},
		{NS: ".", Name: "reduce", Args: "x f | x f init", Cost: entry.Syntax,
			Doc:      "Combines the elements of a collection from the left, as reduce does.",
			Examples: []string{`(.reduce [1 2] + 10) => 13`},
			Macro: func(x *expand.Expansion, form value.Value) value.Value {
				return x.Call(form, x.Args(form, 2, 3, "(.reduce object f init)"), x.T.Symbol(methodSpace, "reduce-by"))
			}},
		calls("kvreduce", "reduce-pairs", "f init", "Combines the entries of a map from the left, as reduce-kv does.",
			`(.kvreduce {:a 1} (fn [acc k x] (+ acc x)) 0) => 1`, 3),
		calls("chunkedFirst", "chunked-first", "", "Returns the first chunk of a sequence.",
			`(count (.chunkedFirst (seq [1 2]))) => 2`, 1),
		calls("chunkedNext", "chunked-next", "", "Returns the sequence after its first chunk, or nil.",
			`(.chunkedNext (seq [1 2])) => nil`, 1),
		calls("chunkedMore", "chunked-more", "", "Returns the sequence after its first chunk.",
			`(.chunkedMore (seq [1 2])) => ()`, 1),
		calls("thenApply", "then-apply", "f", "Returns a future of (f value) of a future.",
			`@(.thenApply (java.util.concurrent.CompletableFuture/completedFuture 1) inc) => 2`, 2),
		calls("thenApplyAsync", "then-apply", "f", "Is thenApply.", `@(.thenApplyAsync (future 1) inc) => 2`, 2),
		calls("thenAccept", "then-accept", "f", "Returns a future that calls f with the value of a future.",
			`@(.thenAccept (future 1) inc) => nil`, 2),
		calls("thenRun", "then-run", "f", "Returns a future that calls f after a future.",
			`@(.thenRun (future 1) (fn [] 2)) => nil`, 2),
		calls("thenCompose", "then-compose", "f", "Returns a future of the value of the future that f returns.",
			`@(.thenCompose (future 1) (fn [x] (future (inc x)))) => 2`, 2),
		calls("thenCombine", "then-combine", "other f", "Returns a future of (f value other-value).",
			`@(.thenCombine (future 1) (future 2) +) => 3`, 3),
		calls("exceptionally", "exceptionally", "f", "Returns a future of the value of a future, or of (f exception).",
			`@(.exceptionally (future (/ 1 0)) ex-message) => "Divide by zero"`, 2),
		calls("handle", "handle", "f", "Returns a future of (f value exception), one of which is nil.",
			`@(.handle (future 1) (fn [x e] [x e])) => [1 nil]`, 2),
		calls("whenComplete", "when-complete", "f", "Returns a future like another one that calls f with its value and its "+
			"exception, one of which is nil.", `@(.whenComplete (future 1) (fn [x e] :done)) => 1`, 2),
	}
}
