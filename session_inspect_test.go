package ptc_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/inspect"
)

func TestSessionInspected(t *testing.T) {
	s := ptc.NewSession(ptc.Options{})
	var in inspect.Session
	for _, source := range []string{
		`(defn f "Gives x." ([x] x) ([x & more] more))`, "(defmacro m [x] x)", "(defmacro n [] 1)", "(declare later)", "*1",
		"(ns a.b (:require [clojure.set :as s])) (def y 1)", "(def lost 1) (/ 1 0)",
	} {
		s.Eval(inspect.With(t.Context(), &in), source, ptc.EvalOptions{}) // the last fails
	}
	want := []inspect.Definition{
		{NS: "user", Name: "f", Doc: "Gives x.", Params: []string{"[x]", "[x & more]"}},
		{NS: "user", Name: "m", Params: []string{"[x]"}, Macro: true},
		{NS: "user", Name: "n", Params: []string{"[]"}, Macro: true},
		{NS: "a.b", Name: "y"},
	}
	if got := in.Definitions(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := in.Namespace(); got != "a.b" {
		t.Errorf("the namespace is %s", got)
	}
	if got := in.Aliases()["s"]; got != "clojure.set" {
		t.Errorf("s is an alias of %q", got)
	}
}

func TestEvalName(t *testing.T) {
	s := ptc.NewSession(ptc.Options{})
	_, err := s.Eval(context.Background(), "\n(/ 1 0)", ptc.EvalOptions{Name: "lib.ptc"})
	if e, ok := err.(*ptc.Error); !ok || e.Span.String() != "lib.ptc:2:1" {
		t.Errorf("got %v", err)
	}
}

func TestResultPretty(t *testing.T) {
	res, err := ptc.Run(context.Background(), "(range 12)", ptc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := res.Pretty(20); err != nil || got != "(0 1 2 3 4 5 6 7 8 9\n 10 11)" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestProgress looks at a run from one of its workers.
func TestProgress(t *testing.T) {
	p := &ptc.Progress{}
	var during []ptc.Snapshot
	prog, err := ptc.Compile(t.Context(), "p", "(println 1) (pmap inc (range 100)) (println (reduce + (pmap inc (range 100))))", ptc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = prog.Run(t.Context(), ptc.RunOptions{Progress: p,
		Output: func(ptc.Print) { during = append(during, p.Now()) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(during) != 2 || during[0].Elements != 0 || during[1].Elements < 100 {
		t.Errorf("got %+v", during)
	}
	if after := p.Now(); after != (ptc.Snapshot{}) {
		t.Errorf("after the run: %+v", after)
	}
}
