// This file defines the hints for names that the language does not have: the names to use instead.

package builtins

import (
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/diag"
)

const (
	useTool     = "files, processes and the network are reached through the tools that the host grants"
	useLocking  = "use locking, which evaluates its body: futures change cells one after another"
	useParallel = "parallel work returns values: (let [[a b] (pcalls #(f 1) #(g 2))] (+ a b)) computes both in " +
		"parallel, (pmap f coll) calls f on all elements"
	useData     = "use a map, or defrecord"
	useFunction = "call the function itself: a program cannot compile source text"
	noArrays    = "use a vector"
	noReflect   = "a task program has no Java; use the functions of the language"
	// NoJava is the hint for a class of the JVM, UseSource that for a library that is not part of Clojure.
	NoJava      = "a task program has no Java; use the functions of the language or a tool"
	UseSource   = "put the definitions of the library before their use; ptc run --path DIR takes namespaces from files"
	noThread    = "a future has no thread of its own; use locals or dynamic vars"
	noIO        = "use println for output; the input is in data/…"
	noProxy     = "use reify, or defrecord"
	useRequire  = "ptc run --path DIR takes namespaces from files, for (require '[my.lib :as lib])"
	useProtocol = "use satisfies?, extends? or extenders"
)

// missingNames are names of clojure.core that have one hint.
var missingNames = []struct{ hint, names string }{
	{"use agent-error, restart-agent and send; shutdown-agents does nothing", "await1 " +
		"set-agent-send-executor! set-agent-send-off-executor!"},
	{useLocking, "monitor-enter monitor-exit"},
	{useParallel, "go thread chan"},
	{useTool, "file-seq resultset-seq"},
	{noIO, "PrintWriter-on"},
	{useRequire, "load load-file add-classpath with-loading-context"},
	{useFunction, "compile"},
	{useData, "gen-class deftype* reify*"},
	{noReflect, "method-sig StackTraceElement->vec"},
	{noProxy, "proxy-super proxy-mappings proxy-name proxy-call-with-super construct-proxy get-proxy-class init-proxy " +
		"update-proxy"},
	{useProtocol, "-cache-protocol-fn -reset-methods find-protocol-impl find-protocol-method"},
	{noArrays, "->ArrayChunk ->Vec ->VecNode ->VecSeq EMPTY-NODE"},
	{"use type", "class-of"},
	{"use loaded-libs: a namespace is loaded once", "*loaded-libs*"},
	{"~ and ~@ have a meaning inside of a syntax-quote (`) only", "unquote unquote-splicing"},
	{"name the value with def or let; the last results have names in the repl only", "*1 *2 *3 *e"},
	{"use inst?, inst-ms or #inst", "Inst inst-ms*"},
	{"use class or type", "primitives-classnames"},
	{"use pr-str, or a method of print-method", "print-ctor"},
}

// missing maps names to their hints; names of namespaces other than clojure.core are qualified.
var missing = sync.OnceValue(func() map[string]string {
	m := map[string]string{
		"System/exit":        "let the program end, or throw",
		"System/gc":          "memory is managed by the host",
		"Runtime/getRuntime": "ask the host", "Character/getName": noReflect,
		"clojure.data.json/read":        "use clojure.data.json/read-str",
		"clojure.data.json/write":       "use clojure.data.json/write-str",
		"cheshire.core/parse-stream":    "use cheshire.core/parse-string",
		"cheshire.core/generate-stream": "use cheshire.core/generate-string",
	}
	for _, of := range missingNames {
		for name := range strings.FieldsSeq(of.names) {
			m[name] = of.hint
		}
	}
	for _, of := range missingParts {
		for name := range strings.FieldsSeq(of.names) {
			m[of.ns+"/"+name] = of.hint
		}
	}
	return m
})

// missingParts are missing names of other namespaces of Clojure, of which PTC has most names.
var missingParts = []struct{ ns, hint, names string }{
	{"clojure.test", "write tests with deftest and is, and run them with run-tests",
		"assert-any assert-predicate " +
			"try-expr file-position get-possibly-unbound-var"},
	{"clojure.instant", "use clojure.instant/read-instant-date: there is one class of instants",
		"read-instant-calendar read-instant-timestamp parse-timestamp validated"},
	{"clojure.pprint", onePrettyLayout, "*print-base* *print-miser-width* *print-pretty* " +
		"*print-radix* " +
		"fresh-line get-pretty-writer pp pprint-indent pprint-logical-block " +
		"pprint-newline " +
		"pprint-tab print-length-loop set-pprint-dispatch write-out"},
}

// onePrettyLayout is the hint for functions that lay out text.
const onePrettyLayout = "pprint has one layout, of 72 columns; use pprint, print-table, cl-format or format"

// missingSpaces maps whole namespaces to their hints.
var missingSpaces = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"clojure.java.shell": useTool, "clojure.java.browse": useTool,
		"babashka.http-client": useTool,
		"babashka.fs":          useTool, "babashka.process": useTool, "clj-http.client": useTool,
		"org.httpkit.client": useTool,
		"hato.client":        useTool,
		"http":               useTool, "client": useTool, "fs": useTool, "shell": useTool, "sh": useTool, "process": useTool,
		"clojure.core.async": useParallel, "a": useParallel, "async": useParallel,
		"clojure.reflect": noReflect, "clojure.main": noReflect, "clojure.inspector": noReflect, "clojure.xml": useTool,
		"clojure.test.check":    "write examples with assert",
		"clojure.tools.logging": "use println", "taoensso.timbre": "use println", "io": useTool,
		"Files": useTool, "Paths": useTool,
		"java.nio.file.Files": useTool,
	}
})

// libraries are the prefixes of namespaces of well-known libraries of Clojure, and of other hosts of Clojure. A name
// that ends in a dot stands for all namespaces below it.
var libraries = sync.OnceValue(func() []string {
	return strings.Fields(`clojure.java. clojure.tools. clojure.spec. clojure.test. clojure.data. clojure.core.
clojure.math. clojure.contrib. clojure.algo. clojure.parallel clojure.repl. cljs. goog. goog
aleph. amazonica. babashka. byte-streams cats. cheshire. clj-http. clj-time. clj-yaml. cljfmt. com.rpl.
com.stuartsierra. compojure. criterium. datascript. datomic. environ. expectations expectations. flatland. gloss.
hato. hiccup. hiccup2. honeysql. incanter. instaparse. integrant. korma. lambdaisland. loom. malli. manifold.
medley. me.raynes. midje. monger. mount. net.cgrand. next.jdbc next.jdbc. nrepl. om. orchestra. org.httpkit.
plumbing. portal. potemkin potemkin. quil. reagent. re-frame. ring. sci. schema. seesaw. selmer. slingshot. speclj.
taoensso. tech. tick. uncomplicate.`)
})

// isLibrary reports whether a namespace is one of a well-known library.
func isLibrary(ns string) bool {
	for _, lib := range libraries() {
		if ns == lib || strings.HasSuffix(lib, ".") && strings.HasPrefix(ns, lib) {
			return true
		}
	}
	return false
}

// MethodMeant returns the hint at the method that an unknown one was probably meant to be, "" if none is close.
func MethodMeant(method string) string {
	if best, ok := diag.Suggest("."+method, Methods()); ok {
		return "did you mean " + best + "?"
	}
	return Foreign("." + method)
}
