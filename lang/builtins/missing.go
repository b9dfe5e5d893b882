// This file defines what programs are told to use instead of names that the
// language leaves out.

package builtins

import "sync"

const (
	useTool     = "files, processes and the network are reached through the tools that the host grants"
	useAtom     = "use an atom; parallel work returns values instead of sharing state"
	useParallel = "use pmap or pcalls, which run in parallel and return the values"
	useData     = "use a map, or defrecord"
	useFunction = "call the function itself: a program cannot compile text"
	noArrays    = "use a vector"
	noReflect   = "a task program has no Java; use the functions of the language"
	noThread    = "a task program has no threads; use pmap or pcalls for parallel work"
	noIO        = "use println for output; the input is in data/…"
	useRequire  = "the program is one text; (require '[clojure.string :as str]) and the like are there"
)

// missing tells of names, those of other namespaces qualified.
var missing = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"agent": useAtom, "send": useAtom, "send-off": useAtom, "await": useAtom, "await-for": useAtom, "agent-error": useAtom,
		"restart-agent": useAtom, "shutdown-agents": useAtom, "ref": useAtom, "dosync": useAtom, "alter": useAtom,
		"commute": useAtom, "ref-set": useAtom, "ensure": useAtom, "sync": useAtom,

		"monitor-enter": useAtom, "monitor-exit": useAtom, "alter-var-root": useAtom, "with-redefs": "pass the function as an argument",
		"with-redefs-fn": "pass the function as an argument",

		"future": useParallel, "future-call": useParallel, "future-cancel": useParallel, "future-done?": useParallel,
		"future?": useParallel, "go": useParallel, "thread": useParallel,
		"chan": useParallel, "seque": useParallel,

		"slurp": useTool, "spit": useTool, "file-seq": useTool, "line-seq": useTool, "read-line": noIO,
		"read": "use read-string or clojure.edn/read-string", "*in*": noIO, "*err*": noIO, "with-in-str": noIO,
		"*command-line-args*": "the input is in data/…", "tap>": "use println", "add-tap": "use println",

		"load": useRequire, "load-file": useRequire, "load-string": useFunction, "load-reader": useFunction,
		"compile": useFunction, "refer": useRequire, "alias": useRequire, "create-ns": useRequire,

		"gen-class": useData, "gen-interface": useData, "bean": noReflect, "memfn": "use #(.method %)",
		"deftype*": useData, "reify*": useData,

		"class-of": "use type", "bases": noReflect, "supers": noReflect,

		"System/exit": "let the program end, or throw", "System/getenv": "the input is in data/…", "System/getProperty": "the input is in data/…",
		"System/gc": "memory is managed by the host", "System/out": "use println", "System/in": noIO,
		"Thread/currentThread": noThread, "Thread": noThread,
		"Runtime/getRuntime": "ask the host", "Class/forName": noReflect, "Character/getName": noReflect,
		"clojure.pprint/cl-format": "use format", "cl-format": "use format",
		"clojure.edn/read": "use clojure.edn/read-string", "clojure.data.json/read": "use clojure.data.json/read-str",
		"clojure.data.json/write": "use clojure.data.json/write-str", "cheshire.core/parse-stream": "use cheshire.core/parse-string",
		"cheshire.core/generate-stream": "use cheshire.core/generate-string",
	}
})

// missingSpaces tells of whole namespaces.
var missingSpaces = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"clojure.java.io": useTool, "clojure.java.shell": useTool, "clojure.java.browse": useTool, "babashka.http-client": useTool,
		"babashka.fs": useTool, "babashka.process": useTool, "clj-http.client": useTool, "org.httpkit.client": useTool, "hato.client": useTool,
		"clojure.core.async": useParallel, "a": useParallel, "async": useParallel, "clojure.core.reducers": "use reduce, transducers or pmap",
		"clojure.reflect": noReflect, "clojure.main": noReflect, "clojure.inspector": noReflect, "clojure.xml": useTool,
		"clojure.spec.alpha": "check data with predicates and :pre conditions", "clojure.test.check": "write examples with assert",
		"clojure.tools.logging": "use println", "taoensso.timbre": "use println", "io": useTool, "java.io.File": useTool,
		"Instant": "use (java.util.Date.), inst-ms or a time tool", "LocalDate": "use a time tool", "LocalDateTime": "use a time tool",
		"java.time.Instant": "use inst-ms or a time tool", "java.time.LocalDate": "use a time tool", "java.time.Duration": "count in milliseconds",
		"ThreadLocalRandom": "use rand-int", "java.util.Random": "use rand-int", "Files": useTool, "Paths": useTool, "java.nio.file.Files": useTool,
		"Arrays": noArrays, "java.util.Arrays": noArrays, "Collections": "use sort, reverse or shuffle", "java.util.Collections": "use sort, reverse or shuffle",
	}
})
