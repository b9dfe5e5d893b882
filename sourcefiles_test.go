package ptc_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
)

func TestNamespaces(t *testing.T) {
	own, required := ptc.Namespaces("(ns a.b \"doc\" (:require [c.d :as d :refer [x]] (e [f :as f] g) clojure.set)\n" +
		" (:use [h :only [y]]) (:import java.util.Date))\n(require '[i.j :as j] 'k)\n`d/x ::j/y ::none/z (require 'late)")
	require.Equal(t, "a.b", own)
	require.Equal(t, []string{"c.d", "e.f", "e.g", "h", "i.j", "k"}, required)

	own, required = ptc.Namespaces("(+ 1 2)")
	require.Equal(t, "user", own)
	require.Empty(t, required)
	_, required = ptc.Namespaces("(require '[only.alias :as-alias o]) ::o/x (require 'z)")
	require.Equal(t, []string{"z"}, required)
}

func TestJoinFiles(t *testing.T) {
	source := ptc.JoinFiles(ptc.SourceFile{Name: "a.clj", Text: "(ns a)\n(defn f [x] (inc x))"},
		ptc.SourceFile{Name: "main.ptc", Text: "[(str *ns*) (a/f 1)]\n"})
	res, err := ptc.Run(context.Background(), source, ptc.Options{})
	require.NoError(t, err)
	text, err := res.EDN()
	require.NoError(t, err)
	require.Equal(t, `["user" 2]`, text)

	_, err = ptc.Run(context.Background(), source+"\n(a/g 1)", ptc.Options{})
	var e *ptc.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "main.ptc:3:2", e.Span.String())

	_, err = ptc.Compile(context.Background(), "x", source, ptc.Options{Limits: ptc.Limits{SourceBytes: 40}})
	require.ErrorAs(t, err, &e)
	require.Equal(t, diag.SourceTooLarge, e.Code)
}

// TestMacrosSeeLibraries requires a macro to see the changes that a form of a library made to a cell and to
// names, an alias of a namespace whose file comes later, and the current namespace in macros and in
// functions.
func TestMacrosSeeLibraries(t *testing.T) {
	source := ptc.JoinFiles(ptc.SourceFile{Name: "reg.clj", Text: `(ns reg) (alias 'm 'main) (def kind ::m/kind)
(def all (atom {})) (defn add! [k v] (swap! all assoc k v)) (add! :one 1) (when true (defn late [] (str *ns*)))
(defmacro look-up [k] [(get @all k) (late) (str *ns*)])`},
		ptc.SourceFile{Name: "use.clj", Text: `(ns use) (reg/add! :two 2) (def here (str *ns*)) (defn now [] (str *ns*))`},
		ptc.SourceFile{Name: "main.clj", Text: `(ns main)
(pr-str (reg/look-up :one) (reg/look-up :two) use/here (use/now) reg/kind @reg/all)`})
	res, err := ptc.Run(context.Background(), source, ptc.Options{})
	require.NoError(t, err)
	text, err := res.Value()
	require.NoError(t, err)
	require.Equal(t, `[1 "main" "main"] [2 "main" "main"] "use" "main" :main/kind {:one 1, :two 2}`, text)
}

// TestJoinFilesMark requires a line in a file that looks like a line naming a file to stay in it, and a source of
// several files to be joined with another file.
func TestJoinFilesMark(t *testing.T) {
	source := ptc.JoinFiles(ptc.SourceFile{Name: "a",
		Text: "(ns a)\n(def s \"\n;#file b\n;#file# c\n\")"},
		ptc.SourceFile{Name: "main", Text: "(str *ns* (count a/s))"})
	source = ptc.JoinFiles(ptc.SourceFile{Name: "d", Text: source}, ptc.SourceFile{Name: "e", Text: ";#filed\n(a/g)"})
	_, err := ptc.Run(context.Background(), source, ptc.Options{})
	var e *ptc.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "e:2:2", e.Span.String())
	res, err := ptc.Run(context.Background(), ptc.JoinFiles(ptc.SourceFile{Name: "d", Text: source[:len(source)-len("(a/g)\n")]},
		ptc.SourceFile{Name: "f", Text: "(str *ns* (count a/s))"}), ptc.Options{})
	require.NoError(t, err)
	text, err := res.EDN()
	require.NoError(t, err)
	require.Equal(t, `"user20"`, text)
}
