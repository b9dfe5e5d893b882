// This file defines the tests that hold what the entries tell the linter to what calls do. The calls
// are the examples of the entries, or are generated from lists of arguments.

package lint_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// ticks counts the calls of tool/tick, which workers make too.
type ticks struct {
	tools *tool.Registry
	n     atomic.Int64
}

func newTicks(t *testing.T) *ticks {
	t.Helper()
	c := &ticks{}
	reg, err := tool.NewRegistry(tool.Dynamic("tick", "", json.RawMessage(`{"type":"object"}`), nil,
		func(context.Context, json.RawMessage) (json.RawMessage, error) {
			c.n.Add(1)
			return json.RawMessage(`null`), nil
		}, tool.ReadOnly()))
	if err != nil {
		t.Fatal(err)
	}
	c.tools = reg
	return c
}

// run evaluates an expression, and returns its value as text, or "!code", and the calls of tool/tick.
func (c *ticks) run(t *testing.T, source string) (value string, calls int) {
	t.Helper()
	c.n.Store(0)
	res, err := ptc.Run(t.Context(), source, ptc.Options{Tools: c.tools, Limits: ptc.Limits{Steps: 50_000_000}})
	if err != nil {
		return "!" + err.Error(), int(c.n.Load())
	}
	if value, err = res.EDN(); err != nil {
		value = "!" + err.Error()
	}
	return value, int(c.n.Load())
}

// counting defines (counted f), the function that counts the calls of f.
const counting = "(defn counted [f] (fn [& args] (tool/tick {}) (apply f args)))\n"

// form is an expression in a text: a call, with its parts.
type form struct {
	text  string
	parts []*form // nil for what is no call
}

// readForm cuts an expression into calls.
func readForm(t *testing.T, text string) *form {
	t.Helper()
	tokens, err := parser.Tokens(token.NewFile("example", text), ptc.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	i := 0
	var read func() *form
	read = func() *form {
		start := tokens[i].Start
		switch open := text[tokens[i].Start:tokens[i].End]; tokens[i].Kind {
		case parser.Prefix:
			i++
			return &form{text: text[start:tokens[i].Start] + read().text}
		case parser.Open:
			f := &form{}
			for i++; tokens[i].Kind != parser.Close; {
				f.parts = append(f.parts, read())
			}
			i++
			f.text = text[start:tokens[i-1].End]
			if open != "(" {
				f.parts = nil
			}
			return f
		}
		i++
		return &form{text: text[start:tokens[i-1].End]}
	}
	return read()
}

// String writes the form with its parts as they are now.
func (f *form) String() string {
	if f.parts == nil {
		return f.text
	}
	var words []string
	for _, p := range f.parts {
		words = append(words, p.String())
	}
	return "(" + strings.Join(words, " ") + ")"
}

// call finds the first call of a name in a form.
func (f *form) call(e *entry.Entry) *form {
	if len(f.parts) > 0 && (f.parts[0].text == e.Name || f.parts[0].text == e.Qualified()) {
		return f
	}
	for _, p := range f.parts {
		if c := p.call(e); c != nil {
			return c
		}
	}
	return nil
}

// examples are the examples of an entry that return a value.
func examples(e *entry.Entry) (exprs []string) {
	for _, x := range e.Examples {
		if expr, _, ok := strings.Cut(x, " => "); ok {
			exprs = append(exprs, expr)
		}
	}
	return exprs
}

// most is how often an example may call each of its functions: what Times says, for collections of the
// size of those in the examples.
func most(e *entry.Entry, call *form) int {
	elements := 0
	for _, arg := range call.parts[1:] {
		elements = max(elements, len(strings.Fields(arg.text)))
	}
	switch e.Calls.Times {
	case entry.TimesOnce:
		return 1
	case entry.TimesTwice:
		return 2
	case entry.TimesOption:
		return 3
	}
	return 2 * elements // a comparator or a key may be asked for both of a pair
}

// TestCalls counts the calls of the functions that a builtin is given: there are no more than it tells,
// there are some, and those of a lazy one come when its sequence is read.
func TestCalls(t *testing.T) {
	c, told := newTicks(t), 0
	for e := range builtins.All() {
		if e.Calls.Times == entry.TimesUnknown || e.Private || e.Macro != nil {
			continue
		}
		told++
		called := false
		for _, example := range examples(e) {
			whole := readForm(t, example)
			call := whole.call(e)
			if call == nil || len(call.parts)-1 < int(e.Calls.Least) {
				continue
			}
			last := min(int(e.Calls.Last), len(call.parts)-2)
			for i := int(e.Calls.First); i <= last; i++ {
				call.parts[1+i].text = "(counted " + call.parts[1+i].String() + ")"
				call.parts[1+i].parts = nil
			}
			was, _ := c.run(t, counting+example)
			got, n := c.run(t, counting+whole.String())
			if got != was && !strings.Contains(was, "#object") {
				t.Errorf("%s: the value was %s, counted it is %s", whole, was, got)
			}
			if bound := most(e, call) * (last - int(e.Calls.First) + 1); n > bound {
				t.Errorf("%s: %d calls, told of are %d", whole, n, bound)
			}
			called = called || n > 0
			if _, n := c.run(t, counting+"(do "+call.String()+" 1)"); n > 0 && e.Calls.When == entry.CallsLater {
				t.Errorf("%s: %d calls before the sequence is read", call, n)
			}
		}
		if !called {
			t.Errorf("%s: no example calls its function", e.Qualified())
		}
	}
	if told < 35 {
		t.Errorf("%d entries tell how they call", told)
	}
}

// TestCallsOfMacros counts the calls of what macros hand to private functions of the library.
func TestCallsOfMacros(t *testing.T) {
	c := newTicks(t)
	failing := `(do (tool/tick {}) (throw (ex-info "x" {}))))`
	for _, tt := range []struct {
		name, source string
		want         int
	}{
		{"%limited", "(with-limits {:calls 9} (tool/tick {}))", 1},
		{"%guarded", "(global-exclusive (tool/tick {}))", 1},
		{"%retry", "(retry {:times 2 :backoff-ms 0 :on #{:exception}} " + failing, 2},
		{"%retry", "(retry {:backoff-ms 0 :on #{:exception}} " + failing, 3},
		{"vswap!", "(vswap! (volatile! 1) (fn [x] (tool/tick {}) x))", 1},
	} {
		e := builtins.Core(tt.name)
		if e.Calls.Times == entry.TimesUnknown {
			t.Errorf("%s does not tell how it calls", tt.name)
		}
		if _, n := c.run(t, tt.source); n != tt.want {
			t.Errorf("%s: %d calls, want %d", tt.source, n, tt.want)
		}
	}
}
