// This file defines the tests of the package as one who embeds it sees it.

package ptc_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// level marshals itself as text, though its kind is a number.
type level int

func (l level) MarshalText() ([]byte, error) { return []byte([]string{"low", "high"}[l]), nil }

// order is a struct with a part of each kind.
type order struct {
	ID      int            `json:"id"`
	Level   level          `json:"level"`
	At      time.Time      `json:"at"`
	Wait    time.Duration  `json:"wait"`
	Note    *string        `json:"note"`
	Tags    map[int]string `json:"tags"`
	Secret  string         `json:"-"`
	Comment string         `json:"comment,omitempty"`
}

func TestInputValues(t *testing.T) {
	note := "n"
	for _, test := range []struct {
		in   any
		want string
	}{
		{nil, "nil"},
		{uint64(math.MaxUint64), "18446744073709551615N"},
		{json.Number("12"), "12"},
		{json.Number("99999999999999999999"), "99999999999999999999N"},
		{json.Number("1.5"), "1.5"},
		{json.RawMessage(`{"k": [1, 99999999999999999999]}`), "{:k [1 99999999999999999999N]}"},
		{big.NewInt(7), "7"},
		{new(big.Int).Lsh(big.NewInt(1), 64), "18446744073709551616N"},
		{big.NewRat(1, 2), `"1/2"`},
		{level(1), `"high"`},
		{[]level{0, 1}, `["low" "high"]`},
		{[]byte{1, 2}, `"AQI="`},
		{[2]bool{true}, "[true false]"},
		{(*int)(nil), "nil"},
		{map[string]any{"b": 1, "a": []any{nil, "x"}}, `{:a [nil "x"], :b 1}`},
		{order{ID: 1, Level: 1, At: time.Unix(0, 0).UTC(), Wait: time.Second, Note: &note, Tags: map[int]string{2: "t"}, Secret: "s"},
			`{:id 1, :level "high", :at "1970-01-01T00:00:00Z", :wait 1000000000, :note "n", :tags {:2 "t"}}`},
		{[]*order{nil}, "[nil]"},
	} {
		p, err := ptc.Compile(context.Background(), "p", "data/x", ptc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Run(context.Background(), ptc.RunOptions{Data: map[string]any{"x": test.in}})
		if err != nil {
			t.Errorf("%#v: %v", test.in, err)
			continue
		}
		if got, err := res.EDN(); err != nil || got != test.want {
			t.Errorf("%#v: got %s, %v, want %s", test.in, got, err, test.want)
		}
	}
}

func TestInputThatIsNoData(t *testing.T) {
	for _, in := range []any{make(chan int), func() {}, 1i, math.NaN(), json.Number("x"), json.RawMessage("{"), map[string]any{"k": make(chan int)}} {
		p, err := ptc.Compile(context.Background(), "p", "(inc 1)\n data/x", ptc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Run(context.Background(), ptc.RunOptions{Data: map[string]any{"x": in}})
		var e *ptc.Error
		if !errors.As(err, &e) || e.Code != diag.WrongType || e.Span.String() != "p:2:2" {
			t.Errorf("%T: got %v", in, err)
		}
	}
}

func TestEveryErrorIsTyped(t *testing.T) {
	ctx := context.Background()
	bad := ptc.Options{Limits: ptc.Limits{Steps: -1}}
	_, compile := ptc.Compile(context.Background(), "p", "1", bad)
	_, run := ptc.Run(ctx, "1", bad)
	_, session := ptc.NewSession(bad).Eval(ctx, "1", ptc.EvalOptions{})
	small := ptc.Options{Limits: ptc.Limits{ResultBytes: 10}}
	res, err := ptc.Run(ctx, `(keyword (apply str (repeat 100 "x")))`, small)
	if err != nil {
		t.Fatal(err)
	}
	_, edn := res.EDN()
	_, jsonErr := res.JSON(false)
	for name, err := range map[string]error{"Compile": compile, "Run": run, "Session.Eval": session, "EDN": edn, "JSON": jsonErr} {
		var e *ptc.Error
		if !errors.As(err, &e) || e.Code == "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestDeadlineOfTheContext(t *testing.T) {
	p, err := ptc.Compile(context.Background(), "test", "(loop [] (recur))", ptc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Only the start of the run must take less.
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err = p.Run(ctx, ptc.RunOptions{})
	var e *ptc.Error
	if !errors.As(err, &e) || e.Code != diag.Timeout || e.Message != "the deadline that the host set has passed" {
		t.Errorf("got %v", err)
	}
}

func TestSessionData(t *testing.T) {
	s := ptc.NewSession(ptc.Options{})
	for _, step := range []struct {
		data   map[string]any
		source string
		want   any
	}{
		{map[string]any{"a": 1}, "(def first-a data/a) data/a", int64(1)},
		{map[string]any{"a": 2, "b": 3}, "data/a", int64(2)},
		{map[string]any{"a": 2, "b": 3}, "(+ first-a data/b)", int64(4)},
	} {
		s.SetData(step.data)
		res, err := s.Eval(context.Background(), step.source, ptc.EvalOptions{})
		if err != nil || ptctest.ValueOf(res) != step.want {
			t.Errorf("%s: got %v, %v, want %v", step.source, ptctest.ValueOf(res), err, step.want)
		}
	}
	s.SetData(nil)
	if _, err := s.Eval(context.Background(), "data/a", ptc.EvalOptions{}); err == nil {
		t.Error("an input that was taken away is still there")
	}
}

// TestSessionDataTakenAway checks that a session continues after names of its data are removed: only a form
// that reads a removed name fails.
func TestSessionDataTakenAway(t *testing.T) {
	s := ptc.NewSession(ptc.Options{})
	eval := func(source string) (any, error) {
		res, err := s.Eval(context.Background(), source, ptc.EvalOptions{})
		return ptctest.ValueOf(res), err
	}
	s.SetData(map[string]any{"a": 1, "b": 2})
	_, err := eval("(defn read-b [] data/b) [data/a data/b]")
	require.NoError(t, err)
	s.SetData(map[string]any{"a": 5})
	v, err := eval("(+ data/a 1)")
	require.NoError(t, err)
	assert.Equal(t, int64(6), v)
	_, err = eval("(def x 1) data/b")
	require.ErrorIs(t, err, &ptc.Error{Code: diag.UnknownData})
	_, err = eval("x")
	require.ErrorIs(t, err, &ptc.Error{Code: diag.UnknownName}, "nothing runs before all is compiled")
	_, err = eval("(read-b)")
	require.ErrorIs(t, err, &ptc.Error{Code: diag.UnknownData})
	s.SetData(map[string]any{"b": 7})
	v, err = eval("(read-b)")
	require.NoError(t, err)
	assert.Equal(t, int64(7), v)
}

// TestSessionDataSetByATool has a tool set the data of the session that calls it.
func TestSessionDataSetByATool(t *testing.T) {
	var s *ptc.Session
	set := tool.New("set", "Sets the data.", func(context.Context, struct{}) (bool, error) {
		s.SetData(map[string]any{"a": 2})
		return true, nil
	})
	s = ptc.NewSession(ptc.Options{Tools: ptctest.Tools(t, set)})
	s.SetData(map[string]any{"a": 1})
	for _, want := range []string{"[1 true 1]", "[2 true 2]"} {
		res, err := s.Eval(context.Background(), "[data/a (tool/set) data/a]", ptc.EvalOptions{})
		require.NoError(t, err)
		text, err := res.EDN()
		require.NoError(t, err)
		assert.Equal(t, want, text)
	}
}
