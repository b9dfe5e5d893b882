// This file defines the dynamic vars of clojure.core.

package builtins

import (
	"sync"

	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// CoreDynamics returns the names of the dynamic vars of clojure.core.
var CoreDynamics = sync.OnceValue(func() []string {
	var names []string
	for _, e := range dynamicVars() {
		if e.NS == "clojure.core" && e.Name != "default-data-readers" {
			names = append(names, e.Name)
		}
	}
	return names
})

// dynamicVars can be bound by binding. Printing follows those of printing; the others exist because
// programs set them.
func dynamicVars() []entry.Entry {
	return append(compilerVars(), []entry.Entry{
		dynamic("*out*", `*out* => :out`, "The program's output.", value.ConstKeyword("out")),
		readsInput(dynamic("*in*", `*in* => :in`,
			"The program's standard input, a reader. It is empty if the host gives none.",
			StandardInput)),
		dynamic("*err*", `*err* => :err`, "The program's output; *out* and *err* are the same.", value.ConstKeyword("err")),
		compiled(entry.SettingNS, dynamic("*ns*", `(str *ns*) => "user"`,
			"The current namespace. It follows the forms of the program; "+
				"binding sets it for eval, resolve and intern.",
			value.ConstNamespace("user"))),
		dynamic("*agent*", `(let [a (agent 1)] (send a (fn [x] (identical? *agent* a))) (await a) @a) => true`,
			"The agent whose action runs; nil outside of actions.", value.Nil),
		settable("*print-length*", `(binding [*print-length* 2] (pr-str [1 2 3])) => "[1 2 ...]"`,
			"The maximum number of elements of a collection that are printed; nil for all.", value.Nil),
		settable("*print-level*", `(binding [*print-level* 1] (pr-str [[1]])) => "[#]"`,
			"The maximum number of levels of nested collections that are printed; nil for all.", value.Nil),
		settable("*print-meta*", `*print-meta* => false`, "If true, metadata is printed.", value.False),
		dynamic("*print-readably*", `(binding [*print-readably* false] (pr-str "a")) => "a"`,
			"If true, strings and characters are printed as the reader reads them.", value.True),
		settable("*print-namespace-maps*", `(binding [*print-namespace-maps* false] (pr-str {:a/b 1})) => "{:a/b 1}"`,
			"If true, a namespace that all keys of a map share is printed once.", value.True),
		settable("*math-context*", `*math-context* => nil`, "The rounding of decimal arithmetic, set by with-precision.",
			value.Nil),
		{NS: "clojure.core", Name: value.TransactionVar, Private: true, Doc: "The running transaction.", Cost: entry.Constant,
			Var: true, Root: value.Nil},
		{NS: "clojure.core", Name: value.FrameVar, Private: true,
			Doc:  "The number of bindings that pop-thread-bindings removes.",
			Cost: entry.Constant, Var: true, Root: value.Nil},
		dynamic("*print-dup*", `(binding [*print-dup* true] (pr-str #'inc)) => "#=(var clojure.core/inc)"`,
			"If true, values are printed so that reading them makes the same ones, with their metadata.", value.False),
		testDynamic("*test-out*", `clojure.test/*test-out* => :out`,
			"The writer of test reports: the program's output, unless bound to a StringWriter.", value.ConstKeyword("out")),
		{NS: "clojure.test", Name: "%report-fn", Private: true, Doc: "The function that report is bound to.",
			Cost: entry.Constant, Var: true, Root: value.Nil},
		testDynamic("*testing-vars*", `clojure.test/*testing-vars* => ()`, "The vars of the running tests, innermost first.",
			value.EmptyList),
		testDynamic("*testing-contexts*", `clojure.test/*testing-contexts* => ()`,
			"The strings of the testing forms around, innermost first.", value.EmptyList),
		testDynamic("*report-counters*", `clojure.test/*report-counters* => nil`,
			"A ref with the counts of results, while the tests of a namespace run.", value.Nil),
		testDynamic("*initial-report-counters*",
			`clojure.test/*initial-report-counters* => {:test 0, :pass 0, :fail 0, :error 0}`,
			"The counts with which the tests of a namespace begin.", value.ConstMap(
				value.ConstKeyword("test"), value.Int(0), value.ConstKeyword("pass"), value.Int(0),
				value.ConstKeyword("fail"), value.Int(0), value.ConstKeyword("error"), value.Int(0))),
		testDynamic("*load-tests*", `clojure.test/*load-tests* => true`, "Has no effect: tests are always defined.",
			value.True),
		testDynamic("*stack-trace-depth*", `clojure.test/*stack-trace-depth* => nil`,
			"Has no effect: reports have no stack traces.", value.Nil),
		dynamic("*flush-on-newline*", `*flush-on-newline* => true`, "Has no effect.", value.True),
		compiled(entry.SettingAssert, settable("*assert*", `*assert* => true`,
			"If true, assert and the conditions of functions "+
				"are compiled to checks; (set! *assert* false) turns that off for the code that follows.", value.True)),
		settable("*warn-on-reflection*", `*warn-on-reflection* => false`, "Has no effect.", value.False),
		compiled(entry.SettingUnchecked, settable("*unchecked-math*", `*unchecked-math* => false`,
			"If true, + - * inc dec and "+
				"casts to integers are compiled without overflow checks; (set! *unchecked-math* true) turns that on for the code "+
				"that follows.", value.False)),
		dynamic("*read-eval*", `*read-eval* => false`, "False: reading never evaluates.", value.False),
		settable("*command-line-args*", `*command-line-args* => nil`, "Nil: the input is in data/….", value.Nil),
		settable("*file*", `*file* => "NO_SOURCE_PATH"`, "The name of the program.", value.ConstString("NO_SOURCE_PATH")),
		settable("*data-readers*", `*data-readers* => {}`,
			"The functions of tags for read-string, bound by binding; an empty map at first.", value.EmptyMap),
		defaultReaders(),
		settable("*default-data-reader-fn*", `*default-data-reader-fn* => nil`,
			"The function of a tag and a form for other tags in read-string; nil at first.", value.Nil),
		dynamic("*clojure-version*", `(:minor *clojure-version*) => 11`, "The version of Clojure that the language follows.",
			value.ConstMap(
				value.ConstKeyword("major"), value.Int(1), value.ConstKeyword("minor"), value.Int(11),
				value.ConstKeyword("incremental"), value.Int(1), value.ConstKeyword("qualifier"), value.Nil)),
	}...)
}

// compiled makes a var a setting of the compiler.
func compiled(s entry.Setting, e entry.Entry) entry.Entry {
	e.Setting = s
	return e
}

func testDynamic(name, example, doc string, root value.Value) entry.Entry {
	e := dynamic(name, example, doc, root)
	e.NS = "clojure.test"
	return e
}

func settable(name, example, doc string, root value.Value) entry.Entry {
	e := dynamic(name, example, doc, root)
	e.Settable = true
	return e
}

func dynamic(name, example, doc string, root value.Value) entry.Entry {
	return entry.Entry{NS: "clojure.core", Name: name, Doc: doc, Examples: []string{example}, Cost: entry.Constant,
		Var:  true,
		Root: root}
}
