// This file tests the errors of the compiler.

package compile

import (
	"fmt"
	"testing"
)

// errorCases are sources with the code of the first error and the text that it points at, "" for sources that compile.
var errorCases = []struct{ source, want string }{
	{`(if)`, `bad-form at (`},
	{`(if 1 2 3 4)`, `bad-form at (`},
	{`(def)`, `bad-form at (`},
	{`(def 1 2)`, `bad-form at (`},
	{`(def a b c d)`, `bad-form at (`},
	{`(let [x] x)`, `bad-form at x`},
	{`(let* (x 1) x)`, `bad-form at (`},
	{`(let* [a/b 1] 1)`, `bad-form at a/b`},
	{`(loop* [x] x)`, `bad-form`},
	{`(recur)`, `misplaced-recur at (`},
	{`(fn [x] (recur))`, `wrong-arity at (`},
	{`(loop [i 0] (recur 1 2))`, `wrong-arity at (`},
	{`(fn [x] (inc (recur x)))`, `misplaced-recur at (`},
	{`(loop [i 0] (try (recur 1)))`, `misplaced-recur at (`},
	{`(loop [i 0] (if i (recur 1) (recur 2)))`, ``},
	{`(loop [i 0] (do (recur 1) i))`, `misplaced-recur at (`},
	{`(fn [& xs] (recur xs))`, ``},
	{`(fn [x] (loop [i 0] (recur x)) (recur 1))`, ``},
	{`(fn [x] (when x (cond x (recur 1) :else (let [y x] (recur y)))))`, ``},
	{`(fn [x] (and x (recur x)))`, ``},
	{`(fn [x] [(recur x)])`, `misplaced-recur at (`},
	{`(quote)`, `bad-form at (`},
	{`(quote 1 2)`, `bad-form at (`},
	{`(var)`, `bad-form at (`},
	{`(var nope)`, `unknown-name at nope`},
	{`(var 1)`, `bad-form at (`},
	{`(throw)`, `bad-form at (`},
	{`(throw 1 2)`, `bad-form at (`},
	{`(set! x 1)`, `bad-form at (`},
	{`(set! *print-length* 1 2)`, `bad-form at (`},
	{`(case* 1)`, `bad-form at (`},
	{`(not)`, `bad-form at (`},
	{`(not 1 2)`, `bad-form at (`},
	{`(when)`, `bad-form at (`},
	{`(when-not)`, `bad-form at (`},
	{`(try (catch))`, `bad-form at (`},
	{`(try (catch Foo e 1))`, `unknown-name at Foo`},
	{`(try (catch Exception))`, `bad-form at (`},
	{`(try (catch Exception 1 2))`, `bad-form at (`},
	{`(try 1 (finally 2) 3)`, `bad-form`},
	{`(catch Exception e 1)`, `unknown-name at catch`},
	{`(finally 1)`, `unknown-name at finally`},
	{`(in-ns)`, `bad-form at (`},
	{`(in-ns a)`, `unknown-name at a`},
	{`(ns)`, `bad-form at (`},
	{`(ns 1)`, `bad-form at (`},
	{`(ns a (:foo b))`, `bad-form at (`},
	{`(ns a (require b))`, `bad-form at (`},
	{`(require)`, `bad-form at (`},
	{`(require '[no.such])`, `unknown-name at no.such`},
	{`(require 'clojure.string :foo)`, `bad-form at (`},
	{`(refer)`, `bad-form at (`},
	{`(refer clojure.string)`, `bad-form at (`},
	{`(refer 'no.such)`, `unknown-name at no.such`},
	{`(refer-clojure :foo 1)`, `bad-form at (`},
	{`(alias 'x)`, `bad-form at (`},
	{`(alias x y)`, `bad-form at (`},
	{`(alias 'x 'no.such)`, `unknown-name at (`},
	{`(create-ns)`, `bad-form at (`},
	{`(defmacro)`, `bad-form at (`},
	{`(defmacro m)`, `bad-form at (`},
	{`(declare 1)`, `bad-form`},
	{`(import foo)`, ``},
	{`nope`, `unknown-name at nope`},
	{`(nope 1)`, `unknown-name at nope`},
	{`(str/nope 1)`, `unknown-name at str/nope`},
	{`(no.such/x 1)`, `unknown-name at no.such/x`},
	{`let*`, `bad-form at let*`},
	{`catch`, `bad-form at catch`},
	{`&`, `bad-form at &`},
	{`(inc)`, `wrong-arity at (`},
	{`(inc 1 2)`, `wrong-arity at (`},
	{`(defn f [x] x) (f)`, `wrong-arity at (`},
	{`(defn f ([x] x) ([x y & z] z)) (f)`, `wrong-arity at (`},
	{`(1 2)`, `bad-form at (`},
	{`("a" 1)`, `bad-form at (`},
	{`(nil)`, `bad-form at (`},
	{`(:k)`, ``},
	{`(map)`, `wrong-arity at (`},
	{`let`, `bad-form at let`},
	{`(fn [x x] x)`, ``},
	{`(fn 1)`, `bad-form at (`},
	{`(fn [x &] x)`, `bad-form at &`},
	{`{a 1}`, `unknown-name at a`},
	{`(%fold [x xs acc nil] acc)`, `unknown-name at %fold`},
	{`(clojure.core/%new-atom 1)`, `unknown-name at clojure.core/%new-atom`},
	{`(clojure.core/%regex "a")`, `unknown-name at clojure.core/%regex`},
	{`(defn- f [] 1) (ns b) (user/f)`, `bad-form at user/f`},
	{`(def ^:private x 1) (ns b) user/x`, `bad-form at user/x`},
	{`(.nope 1 2)`, `unsupported at .nope`},
	{`(.)`, `unknown-name at .`},
	{`(Foo. 1)`, `unsupported at Foo.`},
	{`(new Foo 1)`, `unsupported at new`},
	{`(new)`, `unknown-name at new`},
	{`tool/x`, `unknown-tool at tool/x`},
	{`(tool/x 1)`, `unknown-tool at tool/x`},
	{`data/x`, `unknown-data at data/x`},
	{`(System/currentTimeMillis)`, `not-granted at (`},
	{`(letfn [f] 1)`, `bad-form at (`},
	{`(letfn* [f 1] 1)`, `bad-form`},
	{`(binding [x 1] 1)`, `unknown-name at x`},
	{`(binding [inc 1] 1)`, `bad-form at inc`},
	{`(monitor-enter 1)`, `unsupported at monitor-enter`},
	{`(file-seq 1)`, `unsupported at file-seq`},
	{`(m 1)`, `unknown-name at m`},
	{`(defmacro m [x] x) (m 1)`, `unsupported at (`},
	{`(a) (b) (c)`, `unknown-name at a and 2 more`},
}

func TestErrors(t *testing.T) {
	for _, c := range errorCases {
		_, _, err := compileSource(t, c.source)
		got := ""
		if err != nil {
			got = string(err.Code)
			if s := err.Span; s.File != nil {
				got += " at " + c.source[s.Start:max(s.End, s.Start+1)]
			}
			if n := len(err.Others); n > 0 {
				got += fmt.Sprintf(" and %d more", n)
			}
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.source, got, c.want)
		}
	}
}

// TestManyErrors: no more errors are reported than anybody reads.
func TestManyErrors(t *testing.T) {
	source := ""
	for i := range 3 * maxErrors {
		source += fmt.Sprintf("(nope%d)\n", i)
	}
	if _, _, err := compileSource(t, source); err == nil || len(err.Others) != maxErrors-1 {
		t.Errorf("got %v", err)
	}
}

// TestResolve: syntax-quote leaves special forms alone, and resolves all other names.
func TestResolve(t *testing.T) {
	env := NewEnv()
	_, _, err := compileIn(t, env, "(ns a.b (:require [clojure.set :as sets] [clojure.string :refer [join]])) (def own 1)")
	if err != nil {
		t.Fatal(err)
	}
	c := New(nil, env, nil, nil)
	for _, tt := range []struct{ ns, name, want string }{
		{"", "if", "/if"}, {"", "let*", "/let*"}, {"", "fn*", "/fn*"}, {"", "catch", "/catch"}, {"", "finally", "/finally"},
		{"", "new", "/new"}, {"", "&", "/&"}, {"", "recur", "/recur"}, {"", "monitor-enter", "/monitor-enter"}, {"", "%regex", "/%regex"},
		{"", "deftype*", "/deftype*"}, {"", "quote", "/quote"}, {"", "case*", "/case*"}, {"", "set!", "/set!"},
		{"", "when", "clojure.core/when"}, {"", "let", "clojure.core/let"}, {"", "map", "clojure.core/map"}, {"", "not", "clojure.core/not"},
		{"", "own", "a.b/own"}, {"", "unknown", "a.b/unknown"}, {"", "join", "clojure.string/join"}, {"sets", "union", "clojure.set/union"},
		{"x", "y", "x/y"}, {"", "String", "/java.lang.String"}, {"", ".length", "/.length"}, {"", "Foo.", "/Foo."},
	} {
		if ns, name := c.Resolve(tt.ns, tt.name); ns+"/"+name != tt.want {
			t.Errorf("%s/%s becomes %s/%s, want %s", tt.ns, tt.name, ns, name, tt.want)
		}
	}
}
