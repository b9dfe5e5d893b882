// This file defines the dynamic vars of clojure.core.

package builtins

import "github.com/ptc-lang/ptc/lang/value"

// dynamicVars can be bound by binding. Printing obeys those of its own; the others
// are there because programs set them.
var dynamicVars = []Entry{
	dynamic("*out*", "The program's output.", value.ConstKeyword("out")),
	dynamic("*err*", "The program's output: there is one for both.", value.ConstKeyword("err")),
	dynamic("*ns*", "The namespace that a program begins in.", value.ConstNamespace("user")),
	dynamic("*print-length*", "How many elements of a collection are printed; nil for all.", value.Nil),
	dynamic("*print-level*", "How many levels of nested collections are printed; nil for all.", value.Nil),
	dynamic("*print-meta*", "Whether metadata is printed.", value.False),
	dynamic("*print-readably*", "Whether strings and characters are printed as a program would write them.", value.True),
	dynamic("*print-namespace-maps*", "Whether the namespace that all keys of a map share is printed once.", value.False),
	dynamic("*print-dup*", "Has no effect.", value.False),
	dynamic("*flush-on-newline*", "Has no effect.", value.True),
	dynamic("*assert*", "Has no effect: assertions are always checked.", value.True),
	dynamic("*warn-on-reflection*", "Has no effect.", value.False),
	dynamic("*unchecked-math*", "Has no effect: arithmetic is always checked.", value.False),
	dynamic("*read-eval*", "False: reading never evaluates.", value.False),
	dynamic("*command-line-args*", "Nil: the input is in data/….", value.Nil),
	dynamic("*file*", "The name of the program.", value.ConstString("NO_SOURCE_PATH")),
	dynamic("*data-readers*", "An empty map.", value.EmptyMap),
	dynamic("*default-data-reader-fn*", "Nil.", value.Nil),
	dynamic("*clojure-version*", "The version of Clojure that the language follows.", value.ConstMap(
		value.ConstKeyword("major"), value.Int(1), value.ConstKeyword("minor"), value.Int(11),
		value.ConstKeyword("incremental"), value.Int(1), value.ConstKeyword("qualifier"), value.Nil)),
}

func dynamic(name, doc string, root value.Value) Entry {
	return Entry{NS: "clojure.core", Name: name, Doc: doc, Cost: Constant, Var: true, Root: root}
}
