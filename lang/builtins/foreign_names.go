// This file defines names of other languages that programs use by mistake, and their replacements.

package builtins

import (
	"strings"
	"sync"
)

// foreignNames are names of other languages, grouped by their hint.
var foreignNames = []struct{ hint, names string }{
	{"use (defn name [params] body…)", "defun function func define procedure fun method"},
	{"use (fn [params] body…)", "lambda λ"},
	{"use (def name value), or let for a local one", "setq setf const var define-constant defvar defparameter"},
	{"use an atom and reset! or swap!, or loop and recur", "+= -= ++ --"},
	{"use let, whose bindings are made in order", "let* letrec where"},
	{"use nil", "null None undefined NULL Nil NIL nothing"},
	{"use true", "True TRUE #t"},
	{"use false", "False FALSE #f"},
	{"use nil?", "null? is-nil? isNull none?"},
	{"use count", "length len size strlen"},
	{"use first", "car head"},
	{"use rest", "cdr tail"},
	{"use second", "cadr"},
	{"use println", "print-line puts echo display writeln console.log printl displayln"},
	{"use do", "begin progn"},
	{"use cond, or if with do", "elif elsif elseif else-if"},
	{"it is the keyword :else in cond and condp, and the last form in if and case", "else otherwise"},
	{"use case or cond", "switch match"},
	{"use doseq or run!", "foreach for-each forEach each"},
	{"use conj, into or concat", "append push add"},
	{"use reduce", "fold foldl inject foldr"},
	{"use throw with ex-info", "raise error"},
	{"use ==, = or not=", "!= eq? equal? eqv? equals ==="},
	{"use mod or rem", "modulo"},
	{"use and", "&&"},
	{"use or", "||"},
	{"use not", "!"},
	{"use clojure.math/pow or Math/pow", "** ^ expt"},
	{"use int or parse-long", "str->int string->number parse-int to-int toInteger parseInt str->num"},
	{"use str", "to-string toString concat-str string-append number->string"},
	{"use str/includes?", "string-contains? str-contains?"},
	{"use hash-map, or {}", "dict hashmap make-hash"},
	{"use get", "aref get-key"},
	{"use contains?", "has-key? member? includes? has?"},
	{"use try and catch", "except rescue"},
	{"use keep, or filter and map", "filter-map compact-map"},
	{"use (reduce + xs)", "sum sum-of total-of add-all"},
	{"use (reduce * xs)", "product prod"},
	{"use (/ (reduce + xs) (count xs))", "average avg mean"},
	{"use sort, or sort-by with a function", "sorted order-by"},
	{"use reverse", "reversed"},
	{"use map-indexed, or (map vector (range) xs)", "enumerate with-index zip-with-index"},
	{"use (map vector xs ys), or zipmap for a map", "zip"},
	{"use some", "any"},
	{"use every?", "all"},
	{"use distinct", "unique uniq dedup"},
	{"use mapcat", "flat-map flatMap flatmap concat-map bind"},
	{"use (first (filter f xs)), or some", "find-first detect"},
	{"use subvec, or subs of a string", "slice substring substr"},
	{"a map is a sequence of pairs: (seq m), (keys m), (vals m)", "items entries"},
	{"use vals", "values"},
	{"use str/starts-with?", "startswith startsWith starts-with"},
	{"use str/ends-with?", "endswith endsWith ends-with"},
	{"use str/trim", "strip"},
	{"use str/lower-case", "lower toLowerCase to-lower downcase lowercase"},
	{"use str/upper-case", "upper toUpperCase to-upper upcase uppercase"},
	{"use parse-double", "to-float parseFloat parse-float string->float"},
	{"use type, or a predicate such as string? or map?", "typeof isinstance type-of"},
	{"use format", "sprintf string-format"},
	{"the input is in data/…, which the host gives", "argv input sys.argv"},
	{"use (return x), or let the program end", "exit quit"},
	{"use update-vals", "map-vals map-values mapValues mapvals"},
	{"use update-keys", "map-keys mapKeys"},
	{"use json/parse", "parse-json json-parse parseJson from-json json->clj json-decode"},
	{"use json/write", "to-json json-encode write-json json-str clj->json"},
	{"a call waits for its result; (pmap f coll) makes calls in parallel", "async"},
	{"use str/includes?", "str/contains? str/has? str/contains str/include?"},
	{"use str", "str/concat str/append str/add str/plus str/str"},
	{"use count", "str/length str/len str/size str/count"},
	{"use subs", "str/substring str/substr str/slice str/subs str/sub"},
	{"use (apply str (repeat n s))", "str/repeat"},
	{"use str/upper-case", "str/to-upper str/upper str/uppercase str/upcase str/to-upper-case str/toUpperCase"},
	{"use str/lower-case", "str/to-lower str/lower str/lowercase str/downcase str/to-lower-case str/toLowerCase"},
	{"use str/trim", "str/strip"},
	{"use (format \"%5s\" s), or %-5s for blanks after it",
		"str/pad-left str/left-pad str/pad str/pad-right str/ljust str/rjust"},
	{"use re-find, or re-matches for the whole string", "str/match str/matches str/matches? re-match regex-match"},
	{"use (str/replace s re replacement)", "re-replace regex-replace str/replace-all str/gsub replace-all gsub"},
	{"use re-seq", "re-find-all re-findall find-all findall"},
	{"use (str/index-of s x) for a string, (.indexOf coll x) for a list", "index-of indexOf"},
	{"use json/write", "json/stringify json/encode json/dumps json/dump json/serialize json/to-json"},
	{"use json/parse", "json/decode json/loads json/load json/read json/from-json json/deserialize"},
	{"use map, or mapv for a vector", "mapcar collect"},
	{"use nth", "vector-ref list-ref elt at"},
	{"use get", "hash-ref gethash hash-get"},
	{"use assoc", "hash-set! puthash hash-put plist-put"},
	{"a function is called as (f x); (apply f xs) takes a list of arguments", "funcall call invoke"},
	{"use -> for a value as the first argument, ->> as the last", "|> | pipe"},
	{"use for, doseq or loop and recur", "cl-loop dolist"},
	{"use (filter f coll), (map f coll), (group-by f coll) and (sort-by f coll)", "SELECT select WHERE FROM"},
	{"use (sort-by f > coll) for numbers, (sort-by f #(compare %2 %1) coll) for others", "desc DESC descending asc"},
	{"use seq as a test for elements, or (not (empty? coll))", "not-empty? any? nonempty? non-empty?"},
	{"use (into {} (filter (fn [[k v]] …) m))", "filter-vals filter-keys filter-values filter-map-vals"},
	{"use retry, as in (retry {:times 3} (f x))", "with-retry with-retries retrying"},
	{"use with-limits, as in (with-limits {:ms 500} (f x))", "with-timeout timeout with-deadline"},
	{"use psettle, whose elements are {:ok value} or {:error {…}}", "psettled settle allSettled pmap-settled"},
	{"use pmap", "parallel-map parallel p-map"},
	{"use a granted tool, as in (tool/fs.read path)", "open read-file readFile fs.readFileSync"},
	{"use if", "if-else"},
}

var foreign = sync.OnceValue(func() map[string]string {
	m := make(map[string]string)
	for _, of := range foreignNames {
		for name := range strings.FieldsSeq(of.names) {
			m[name] = of.hint
		}
	}
	return m
})

// Foreign returns the hint for a name of another language, "" for other names.
func Foreign(name string) string { return foreign()[name] }
