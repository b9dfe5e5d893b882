// This file defines ask, with which a program asks a person.

package builtins

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/jsonio"
	"github.com/ptc-lang/ptc/lang/value"
)

var questions = []entry.Entry{
	{NS: "clojure.core", Name: "ask", Args: "question:map", Cost: entry.Constant, Asks: true, Fn: ask,
		Doc: "Asks a person, and returns the answer. question is a map of :question, a string, :data, what the person " +
			"should see with it, and :options, the possible answers, at least one; only :question is required. Data, " +
			"options and the answer are JSON, as for a tool call: a keyword becomes a string. The run waits for the answer " +
			"without using up its time. If nobody is there, it is parked, and continues when the answer is there.",
		Examples: []string{`(ask {:question ""}) !illegal-argument`,
			`(ask {:question "Delete?" :option ["yes" "no"]}) !illegal-argument`,
			`(ask {:question "Which host?" :options (filter nil? ["web-1"])}) !illegal-argument`}},
}

// The keys of a question.
var (
	keyQuestion = value.ConstKeyword("question")
	keyOptions  = value.ConstKeyword("options")
)

func ask(t *value.Task, a []value.Value) value.Value {
	outcome := t.Host.Ask(func() string {
		wantQuestion(t, a[0])
		return jsonio.Question(t, a[0])
	})
	if f := outcome.Failure; f != nil {
		e := t.NewException(f.Kind, "ask: "+f.Message)
		e.Data, e.Hint = t.MapOf(keyCode, t.Keyword("", f.Code)), f.Hint
		t.Throw(e)
	}
	if len(outcome.Result) == 0 {
		return value.Nil
	}
	v, err := jsonio.Decode(t, outcome.Result, true)
	if err != nil {
		t.Fail(diag.ToolFailed, "ask: the answer is not JSON: %v", err)
	}
	return v
}

// wantQuestion refuses maps that are no question.
func wantQuestion(t *value.Task, q value.Value) {
	const want = `want a map such as {:question "Delete 14 hosts?" :data hosts :options ["yes" "no"]}`
	var asked bool
	for i := range value.MapCount(q) {
		k, v := value.EntryAt(q, i)
		switch {
		case value.Equal(t, k, keyQuestion) && v.IsString() && strings.TrimSpace(v.AsString().S) != "":
			asked = true
		case value.Equal(t, k, keyData):
		case value.Equal(t, k, keyOptions) && v.Is(value.Colls) && !v.Is(value.Maps):
			if _, some := t.Iter(v).Next(); !some {
				t.Fail(diag.IllegalArgument, "ask: got no options, want at least one, or no :options if any answer will do")
			}
		default:
			t.Fail(diag.IllegalArgument, "ask: got %s %s, %s", value.Show(t, k), value.Show(t, v), want)
		}
	}
	if !asked {
		t.Fail(diag.IllegalArgument, "ask: got no :question, %s", want)
	}
}
