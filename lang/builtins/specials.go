// This file defines the entries of the special forms, which the compiler itself implements. They
// have documentation and examples like every other name.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
)

var specials = []entry.Entry{
	{NS: "clojure.core", Name: "def", Args: "name | name init | name doc init", Cost: entry.Syntax,
		Special: entry.SpecialDef, Bare: true, Indent: entry.IndentBody, Facts: entry.DefinesNames,
		Doc:      "Defines name in the current namespace, with the value of init if given. Returns its var.",
		Examples: []string{"(do (def x 1) (inc x)) => 2", "(def 1 2) !bad-form"}},
	{NS: "clojure.core", Name: "if", Args: "test then | test then else", Cost: entry.Syntax, Purity: entry.Total,
		Special: entry.SpecialIf, Bare: true, Indent: entry.IndentBlock1,
		Doc:      "Evaluates then if test is neither nil nor false, otherwise else.",
		Examples: []string{"(if true 1 2) => 1", "(if nil 1) => nil", "(if) !bad-form"}},
	{NS: "clojure.core", Name: "do", Args: "& exprs", Cost: entry.Syntax, Purity: entry.Total, Special: entry.SpecialDo,
		Bare:   true,
		Indent: entry.IndentBlock0, Facts: entry.EndsInBody,
		Doc: "Evaluates the expressions in order. Returns the value of the last.", Examples: []string{"(do 1 2) => 2"}},
	{NS: "clojure.core", Name: "quote", Args: "form", Cost: entry.Syntax, Purity: entry.Total, Special: entry.SpecialQuote,
		Bare: true,
		Doc:  "Returns the form, unevaluated.", Examples: []string{"(quote (a b)) => (a b)", "'x => x"}},
	{NS: "clojure.core", Name: "var", Args: "name", Cost: entry.Syntax, Special: entry.SpecialVar, Bare: true,
		Doc: "Returns the var of a name.", Examples: []string{"(do (def x 1) (deref (var x))) => 1"}},
	{NS: "clojure.core", Name: "recur", Args: "& exprs", Cost: entry.Syntax, Purity: entry.Pure,
		Special: entry.SpecialRecur, Bare: true,
		Doc:      "Repeats the innermost loop or function with new values, without using the stack.",
		Examples: []string{"(loop [i 0] (if (< i 5) (recur (inc i)) i)) => 5", "(inc (recur)) !misplaced-recur"}},
	{NS: "clojure.core", Name: "try", Args: "& exprs", Cost: entry.Syntax, Special: entry.SpecialTry, Bare: true,
		Indent: entry.IndentBlock0,
		Doc: "Evaluates the expressions. An exception is handled by the first catch clause for its class. The finally " +
			"clause is always evaluated.",
		Examples: []string{"(try (/ 1 0) (catch ArithmeticException e (ex-message e))) => \"Divide by zero\"",
			"(try 1 (finally 2)) => 1"}},
	{NS: "clojure.core", Name: "throw", Args: "exception", Cost: entry.Syntax, Purity: entry.Pure,
		Special: entry.SpecialThrow, Bare: true,
		Doc: "Throws an exception.",
		Examples: []string{"(try (throw (ex-info \"no\" {})) (catch Exception e 1)) => 1",
			"(throw (ex-info \"no\" {})) !exception"}},
	{NS: "clojure.core", Name: "set!", Args: "name value", Cost: entry.Syntax, Special: entry.SpecialSet, Bare: true,
		Doc:      "Sets the innermost binding of a dynamic var.",
		Examples: []string{"(do (def ^:dynamic *x* 1) (binding [*x* 2] (set! *x* 3) *x*)) => 3"}},
	{NS: "clojure.core", Name: "and", Args: "& exprs", Cost: entry.Syntax, Purity: entry.Total, Special: entry.SpecialAnd,
		Doc:      "Evaluates the expressions from the left until a value is nil or false. Returns the last value.",
		Examples: []string{"(and 1 2) => 2", "(and nil 2) => nil", "(and) => true"}},
	{NS: "clojure.core", Name: "or", Args: "& exprs", Cost: entry.Syntax, Purity: entry.Total, Special: entry.SpecialOr,
		Doc:      "Evaluates the expressions from the left until a value is neither nil nor false. Returns the last value.",
		Examples: []string{"(or nil 2) => 2", "(or) => nil"}},
	{NS: "clojure.core", Name: "when", Args: "test & body", Cost: entry.Syntax, Purity: entry.Total,
		Special: entry.SpecialWhen, Indent: entry.IndentBlock1, Facts: entry.EndsInBody,
		Doc:      "Evaluates body if test is neither nil nor false.",
		Examples: []string{"(when true 1 2) => 2", "(when false 1) => nil"}},
	{NS: "clojure.core", Name: "when-not", Args: "test & body", Cost: entry.Syntax, Purity: entry.Total,
		Special: entry.SpecialWhenNot, Indent: entry.IndentBlock1, Facts: entry.EndsInBody,
		Doc: "Evaluates body if test is nil or false.", Examples: []string{"(when-not false 1) => 1"}},
	{NS: "clojure.core", Name: "lazy-seq", Args: "& body", Cost: entry.Syntax, Special: entry.SpecialLazySeq,
		Indent:   entry.IndentBlock0,
		Doc:      "Returns a lazy sequence. body is evaluated when an element is first wanted.",
		Examples: []string{"(take 2 ((fn f [n] (lazy-seq (cons n (f (inc n))))) 5)) => (5 6)"}},
	{NS: "clojure.core", Name: "declare", Args: "& names", Cost: entry.Syntax, Special: entry.SpecialDeclare,
		Facts:    entry.DefinesNames,
		Doc:      "Declares names that are defined later.",
		Examples: []string{"(do (declare f) (defn g [] (f)) (defn f [] 1) (g)) => 1"}},
	{NS: "clojure.core", Name: "defmacro", Args: "name & sigs", Cost: entry.Syntax, Special: entry.SpecialDefmacro,
		Indent: entry.IndentBody, Facts: entry.DefinesNames | entry.BindsFreely,
		Doc:      "Defines a macro: a function from the forms of a call to the form that replaces it.",
		Examples: []string{"(do (defmacro twice [x] `(do ~x ~x)) (twice 1)) => 1"}},
	{NS: "clojure.core", Name: "ns", Args: "name & clauses", Cost: entry.Syntax, Special: entry.SpecialNS,
		Indent: entry.IndentBlock1, Facts: entry.DefinesNames,
		Doc:      "Makes name the current namespace; (:require [clojure.string :as str]) loads other namespaces.",
		Examples: []string{"(do (ns a.b (:require [clojure.string :as s])) (s/upper-case \"a\")) => \"A\""}},
	{NS: "clojure.core", Name: "in-ns", Args: "name", Cost: entry.Syntax, Special: entry.SpecialInNS,
		AsFn:  "%in-ns",
		Facts: entry.DefinesNames,
		Doc:   "Makes a quoted name the current namespace.", Examples: []string{"(do (in-ns 'a) 1) => 1"}},
	{NS: "clojure.core", Name: "create-ns", Args: "name", Cost: entry.Syntax, Special: entry.SpecialCreateNS,
		AsFn:     "%create-ns",
		Facts:    entry.DefinesNames,
		Doc:      "Returns the namespace of that name. Creates it if there is none.",
		Examples: []string{"(do (create-ns 'a) (intern 'a 'x 1) @(resolve 'a/x)) => 1", "(create-ns 1) !wrong-type"}},
	{NS: "clojure.core", Name: "alias", Args: "short name", Cost: entry.Syntax, Special: entry.SpecialAlias,
		AsFn:     "%alias",
		Facts:    entry.DefinesNames,
		Doc:      "Adds an alias of a quoted namespace to the current one.",
		Examples: []string{"(do (alias 's 'clojure.string) (s/trim \" a\")) => \"a\"", "(alias 'x 'no.such) !unknown-name"}},
	{NS: "clojure.core", Name: "refer", Args: "name & options", Cost: entry.Syntax, Special: entry.SpecialRefer,
		AsFn:  "%refer",
		Facts: entry.DefinesNames,
		Doc: "Refers to the public names of a quoted namespace without a prefix: all, those of :only, or all but " +
			"those of :exclude. :rename renames them.",
		Examples: []string{"(do (refer 'clojure.string :only '[trim]) (trim \" a\")) => \"a\"",
			"(refer 'no.such) !unknown-name"}},
	{NS: "clojure.core", Name: "refer-clojure", Args: "& options", Cost: entry.Syntax, Special: entry.SpecialReferClojure,
		Facts: entry.DefinesNames,
		Doc:   "Selects the names of clojure.core that are known without a prefix, by :only, :exclude and :rename.",
		Examples: []string{"(do (refer-clojure :only '[inc]) (inc 1)) => 2",
			"(do (refer-clojure :exclude '[inc]) (inc 1)) !unknown-name"}},
	{NS: "clojure.core", Name: "require", Args: "& specs", Cost: entry.Syntax, Special: entry.SpecialRequire,
		AsFn:  "%require",
		Facts: entry.DefinesNames,
		Doc:   "Loads namespaces, with aliases (:as) and names (:refer).",
		Examples: []string{"(do (require '[clojure.set :as s]) (s/union #{1} #{1})) => #{1}",
			"(require '[no.such]) !unknown-name"}},
	{NS: "clojure.core", Name: "use", Args: "& specs", Cost: entry.Syntax, Special: entry.SpecialUse,
		AsFn:     "%use",
		Facts:    entry.DefinesNames,
		Doc:      "Loads namespaces and refers to all their public names.",
		Examples: []string{"(do (use 'clojure.set) (union #{1} #{1})) => #{1}"}},
	{NS: "clojure.core", Name: "import", Args: "& classes", Cost: entry.Syntax, Special: entry.SpecialImport,
		Doc: "Does nothing: the supported classes need no import.", Examples: []string{"(import 'java.util.UUID) => nil"}},
}

// syntaxForms are special forms that are not names of the language, for expansions.
func syntaxForms() []entry.Entry {
	return []entry.Entry{
		// Programs may write these, as in Clojure.
		laidOut(entry.IndentBlock1, syntax("let*", "bindings & body", entry.SpecialLet,
			"Evaluates body with plain names bound.")),
		syntax("loop*", "bindings & body", entry.SpecialLoop, "Evaluates body with plain names bound; recur repeats it."),
		syntax("fn*", "& sigs", entry.SpecialFn, "Returns a function with plain parameters."),
		syntax("letfn*", "bindings & body", entry.SpecialLetfn,
			"Evaluates body with local functions that may call each other."),
		syntax("case*", "expr clauses default", entry.SpecialCase, "Chooses among constants."),
		laidOut(entry.IndentBlock2, syntax("catch", "class name & body", entry.SpecialCatch,
			"Handles the exceptions of a class, in "+
				"try.")),
		laidOut(entry.IndentBlock0, syntax("finally", "& body", entry.SpecialFinally,
			"Evaluates its body at the end of try, always.")),
		syntax("new", "class & args", entry.SpecialHost, "Creates an object of a class."),
		syntax(".", "object member & args", entry.SpecialHost, "Calls a method."),
		syntax("&", "", entry.SpecialReserved, "Precedes the parameter that takes the remaining arguments."),
		syntax("monitor-enter", "x", entry.SpecialReserved, "Is not supported: there are no threads."),
		syntax("monitor-exit", "x", entry.SpecialReserved, "Is not supported: there are no threads."),
		syntax("deftype*", "& args", entry.SpecialReserved, "Is not supported: deftype is a macro of another kind."),
		syntax("reify*", "& args", entry.SpecialReserved, "Is not supported: reify is a macro of another kind."),

		// These are written only by the library.
		internal("binding*", "bindings & body", entry.SpecialBinding, "Evaluates body with dynamic vars bound."),
		internal("%fields", "object fields & body", entry.SpecialFields,
			"Evaluates body with the fields of an object as names."),
		laidOut(entry.IndentBlock1, internal("%fold", "bindings & body", entry.SpecialFold,
			"Iterates over a collection with an "+
				"accumulator.")),
		internal("%next", "| acc", entry.SpecialNext, "Ends a turn of %fold."),
		internal("%end", "acc", entry.SpecialEnd, "Ends %fold with a value."),
		internal("%expecting", "& body", entry.SpecialExpecting,
			"Evaluates body, in which a wrong number of arguments is an exception."),
		internal("%pure", "rest body written", entry.SpecialPure, "Evaluates body, or written where body cannot be fused."),
		internal("%sort-calls", "comp state", entry.SpecialSort, "Sorts by a function of the program."),
		internal("%regex", "source", entry.SpecialRegex, "Returns a pattern; the reader expands pattern literals to it."),
	}
}

// internal makes the entry of a special form that programs can't name.
func internal(name, args string, form entry.Special, doc string) entry.Entry {
	return entry.Entry{NS: entry.CoreNS, Name: name, Args: args, Cost: entry.Syntax, Special: form, Private: true,
		Doc: doc}
}

// syntax makes the entry of a special form of Clojure whose name has no value and is in no list of names.
func syntax(name, args string, form entry.Special, doc string) entry.Entry {
	e := internal(name, args, form, doc)
	e.Bare = true
	return e
}

// laidOut sets how the form of an entry is indented.
func laidOut(in entry.Indent, e entry.Entry) entry.Entry {
	e.Indent = in
	return e
}
