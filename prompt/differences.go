// This file defines the sections of the card about the language itself: the nature of a program, the
// differences from Clojure, and the names that Clojure does not have.
//
// Tests check the texts against the table: text between backquotes is code that compiles, or one of the
// names that a difference lists as missing, and those are missing.

package prompt

import (
	"fmt"
	"strings"
)

const openingText = "# PTC\n\n" +
	"You write programs in PTC: a sandboxed Clojure 1.11 without a JVM. A program is one text and runs once. " +
	"The value of its last form is the answer; `println` output comes beside it. " +
	"Do the whole task in one program: fetch, filter, join and count in it. Return small plain data. " +
	"Names, arities and syntax are checked before anything runs. After an error, fix what it names and send the whole " +
	"program again.\n"

func openingPieces() []*piece { return []*piece{{section: opening, text: openingText}} }

// difference is a fact that a reader who knows Clojure would get wrong.
type difference struct {
	lacks string // names that there are not, separated by blanks; "" if nothing is missing
	text  string // the functions that exist
}

// inputText has the kind of the keys of objects for %s.
const inputText = "Input is JSON. Read it as `data/NAME`: objects are maps with %s keys, arrays are vectors. There " +
	"is no map of all inputs."

// mostDiffering are the differences that nearly every program meets, except the input.
var mostDiffering = []difference{
	{"System/exit load-file",
		"No files, network, processes or environment: only the granted tools, if any. `slurp` and `spit` need the grant of " +
			"files; `read-line` reads the input of the run."},
	{"go", "No threads, no core.async. Futures and agents run when the program waits. Parallel work: `(pmap f coll)` " +
		"returns what `map` returns, in order, eagerly, and throws what `f` threw; " +
		"`(pcalls #(f 1) #(g 2))` and `(pvalues (f 1) (g 2))` compute several values; `(psettle f coll)` returns `{:ok " +
		"value}` or `{:error {:code code :message message :index i}}` for each element, with the `:data` of an `ex-info`."},
}

// lessDiffering are the others, the frequent ones first.
var lessDiffering = []difference{
	{"", "Inside `pmap` and similar operations, an atom from outside can be read but not changed: return values and " +
		"`reduce` them. " +
		"Use `pmap` for the outermost loop: a nested one gets only free workers."},
	{"gen-class java.net.Socket.",
		"Of Java there are java.time, the collections of java.util and common methods of " +
			"strings and numbers (`(.indexOf s \"x\")`), `Math/sqrt` and similar, `Long/parseLong`. The time of day needs a " +
			"granted time tool; `(inst-ms #inst \"2026-01-31\")` is a literal; " +
			"prefer `str/index-of`, `parse-long`, `parse-double` (nil if not a number), `format`."},
	{"", "`str/`, `set/`, `walk/`, `edn/`, `math/` and `json/` need no `require`: `(str/split s #\",\")`, " +
		"`(json/parse s)`, `(json/write x)`."},
	{"", "Catch by class, by code or all: `(try (f x) (catch ArithmeticException e 0) (catch :nil-value e 1) (catch " +
		":default e (ex-message e)))`. " +
		"Limits of the whole run can't be caught."},
	{"", "`(return x)` ends the run with the answer `x`, `(fail \"why\")` ends it with a failure."},
	{"", "Regular expressions are those of Java."},
	{"load-file", "`eval` takes forms, `load-string` a text, `read-string` and `edn/read-string` read data."},
	{"", "As in Clojure: integers of 64 bits fail on overflow (`+'` and `*'` do not), `/` on integers gives ratios " +
		"(`(double 1/3)`), laziness, transducers, macros, " +
		"multimethods, protocols, records, atoms, refs, metadata."},
	{"", "Strings are sequences of Unicode code points. Type hints have no effect."},
}

// keyKind returns the kind of value that the keys of JSON objects become.
func keyKind(o Options) string {
	if o.Run.StringKeys {
		return "string"
	}
	return "keyword"
}

// differing returns the pieces of the differences.
func differing(o Options) (most, rest []*piece) {
	for _, d := range append([]difference{{"", fmt.Sprintf(inputText, keyKind(o))}}, mostDiffering...) {
		most = append(most, &piece{section: differences, text: d.line(), kind: "differences from Clojure"})
	}
	for _, d := range lessDiffering {
		rest = append(rest, &piece{section: differences, text: d.line(), kind: "differences from Clojure"})
	}
	return most, rest
}

// line writes a difference as an item of a list.
func (d difference) line() string {
	if d.lacks == "" {
		return "- " + d.text + "\n"
	}
	return "- Missing: `" + strings.Join(strings.Fields(d.lacks), "`, `") + "`. " + d.text + "\n"
}

// beyondClojure are the names that Clojure does not have, in groups. Names in the differences are not repeated.
var beyondClojure = []string{
	"Parallel: `(pany f coll)` returns the first value of any element; `(pquorum 2 f coll)` the first 2; `(hedge 50 " +
		"(fn [] (f x)))` starts a second call after 50 ms and returns the first answer.",
	"Retries: `(retry {:times 3 :backoff-ms 200 :on #{:timeout :unavailable}} (f x))`: 3 attempts at most, then the " +
		"last exception. `:on` has codes, also tools' own; without it, errors with `:retryable? true` in their data.",
	"A person: `(ask {:question \"Delete 14 hosts?\" :data x :options [\"yes\" \"no\"]})` returns the answer.",
	"Exclusion and rates: `(host-exclusive \"web-1\" (f x))`, `(rate-limited \"api\" {:per-second 5 :burst 2} (f " +
		"x))`, `(global-exclusive (f x))`.",
	"Limits: `(with-limits {:ms 500 :steps 100000 :bytes 1000000 :calls 5} (f x))` throws when one is exceeded; " +
		"`:workers 2` runs 2 at once. `(limits)` returns what is left.",
	"Help: `(tools)`, `(doc map)`, `(find-doc \"word\")`, `(apropos \"str\")`, `(source filter)`, `(dir json)`.",
	"Other libraries: `clojure.data.json/read-str`, `clojure.data.json/write-str`, `cheshire.core/parse-string`, " +
		"`cheshire.core/generate-string`, " +
		"and of Clojure's own `clojure.pprint`, `clojure.zip`, `clojure.data`, `clojure.test`.",
}

func beyondPieces() []*piece {
	var all []*piece
	for _, line := range beyondClojure {
		all = append(all, &piece{section: beyond, text: "- " + line + "\n", kind: "names that Clojure does not have"})
	}
	return all
}
