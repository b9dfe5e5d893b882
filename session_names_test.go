package ptc_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
)

func TestSessionNext(t *testing.T) {
	s := ptc.NewSession(ptc.Options{})
	if _, err := s.Eval(context.Background(), "(require '[clojure.set :as s])"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		source string
		found  ptc.Found
		end    int
	}{
		{"", ptc.Nothing, 0},
		{" ; x\n#_(y) ", ptc.Nothing, 11},
		{"1 2", ptc.Form, 1},
		{" (a b) c", ptc.Form, 6},
		{"::s/x 1", ptc.Form, 5},
		{"(a", ptc.Unfinished, 2},
		{`"a`, ptc.Unfinished, 2},
		{"'", ptc.Unfinished, 1},
		{"#_", ptc.Unfinished, 2},
		{") 1", ptc.Malformed, 3},
		{"(a] ", ptc.Malformed, 4},
		{"::nope/x", ptc.Malformed, 8},
		{strings.Repeat("[", 1000), ptc.Malformed, 1000},
	} {
		found, end := s.Next(c.source)
		if end == 0 && found == ptc.Unfinished {
			end = len(c.source)
		}
		if found != c.found || end != c.end {
			t.Errorf("%.20q: got %d, %d, want %d, %d", c.source, found, end, c.found, c.end)
		}
	}
}

func TestSessionDefinitions(t *testing.T) {
	s := ptc.NewSession(ptc.Options{})
	for _, source := range []string{
		`(defn f "Gives x." ([x] x) ([x & more] more))`, "(defmacro m [x] x)", "(defmacro n [] 1)", "(declare later)", "*1",
		"(ns a.b) (def y 1)", "(def lost 1) (/ 1 0)",
	} {
		s.Eval(context.Background(), source) // the last fails
	}
	want := []ptc.Definition{
		{NS: "user", Name: "f", Doc: "Gives x.", Params: []string{"[x]", "[x & more]"}},
		{NS: "user", Name: "m", Params: []string{"[x]"}, Macro: true},
		{NS: "user", Name: "n", Params: []string{"[]"}, Macro: true},
		{NS: "a.b", Name: "y"},
	}
	if got := s.Definitions(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := s.Namespace(); got != "a.b" {
		t.Errorf("the namespace is %s", got)
	}
}

func TestEvalFile(t *testing.T) {
	s := ptc.NewSession(ptc.Options{})
	_, err := s.EvalFile(context.Background(), "lib.ptc", "\n(/ 1 0)")
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
	opts := ptc.Options{Progress: p, Output: func(string) { during = append(during, p.Now()) }}
	_, err := ptc.Run(context.Background(), "(println 1) (pmap inc (range 100)) (println (reduce + (pmap inc (range 100))))", opts)
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
