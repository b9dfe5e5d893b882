// This file tests the errors of conversions.

package ptc_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
)

// failing and panicking marshal themselves badly.
type failingJSON struct{}

func (failingJSON) MarshalJSON() ([]byte, error) { return nil, errFailing }

var errFailing = errors.New("no such rate")

type panickingText struct{}

func (panickingText) MarshalText() ([]byte, error) { panic("out of ink") }

type panickingZero struct{}

func (panickingZero) IsZero() bool { panic("zero") }

// nilError returns an error that has no text.
type nilError struct{}

func (nilError) MarshalJSON() ([]byte, error) { return nil, (*textlessError)(nil) }

type textlessError struct{ text string }

func (e *textlessError) Error() string { return e.text }

// hiddenInt and hiddenTime are embedded below, where both have MarshalJSON, so that the struct has none.
type (
	hiddenInt  = big.Int
	hiddenTime = time.Time
)

type brokenJSON struct{}

func (brokenJSON) MarshalJSON() ([]byte, error) { return []byte("[1"), nil }

// TestDataErrors checks that a message names who failed, what was got, where, and what was wanted.
func TestDataErrors(t *testing.T) {
	cycle := map[string]any{"n": 1}
	cycle["self"] = []any{cycle}
	type ring struct{ Next *ring }
	round := &ring{}
	round.Next = round
	p, err := ptc.Compile(t.Context(), "p", "data/x", ptc.Options{})
	require.NoError(t, err)
	for _, c := range []struct {
		x    any
		code diag.Code
		want string
	}{
		{math.NaN(), diag.WrongType, "data/x: got NaN, want a finite number"},
		{map[string]any{"rows": []any{map[string]any{"price": math.Inf(-1)}}}, diag.WrongType, `data/x: got -Inf at ["rows" 0 "price"], want a finite number`},
		{struct{ Price float32 }{float32(math.Inf(1))}, diag.WrongType, `data/x: got +Inf at ["Price"], want a finite number`},
		{map[string]float64{"a": 1, "b": math.NaN()}, diag.WrongType, `data/x: got NaN at ["b"], want a finite number`},
		{struct{ C chan int }{}, diag.WrongType, `data/x: got a Go chan int at ["C"], want data`},
		{nilError{}, diag.WrongType, `want JSON from its MarshalJSON: it panicked: runtime error: invalid memory address`},
		{struct {
			hiddenInt  `json:"n"`
			hiddenTime `json:"t"`
		}{}, diag.WrongType, `of type big.Int at ["n"], want JSON from its MarshalJSON: the field is not exported`},
		{json.Number("01"), diag.WrongType, `got the json.Number "01", want a number as JSON writes it`},
		{json.Number("-00"), diag.WrongType, `got the json.Number "-00", want a number as JSON writes it`},
		{[]any{map[any]any{}}, diag.WrongType, `data/x: got a Go map[interface {}]interface {} at [0], want keys that are strings`},
		{struct {
			Z panickingZero `json:"z,omitzero"`
		}{}, diag.WrongType, `of type ptc_test.panickingZero at ["z"], want an answer from its IsZero: it panicked: zero`},
		{[]any{complex(1, 2)}, diag.WrongType, `data/x: got a Go complex128 at [0], want data`},
		{cycle, diag.NestingTooDeep, `data/x: got data nested deeper at ["self" 0 "self" 0 "self" 0 "self" 0 "self" 0 "self" 0 … 500 more], want at most 512 levels`},
		{round, diag.NestingTooDeep, "want at most 512 levels"},
		{[]any{failingJSON{}}, diag.WrongType, "data/x: got a Go value of type ptc_test.failingJSON at [0], want JSON from its MarshalJSON: no such rate"},
		{map[string]any{"k": panickingText{}}, diag.WrongType, `want text from its MarshalText: it panicked: out of ink`},
		{brokenJSON{}, diag.WrongType, "want JSON from its MarshalJSON: JSON error at byte 2: unexpected end of text"},
		{[]any{json.RawMessage("1 2")}, diag.WrongType, "data/x: got a json.RawMessage at [0], want JSON: JSON error at byte 2: unexpected '2' after the value"},
		{json.RawMessage{}, diag.WrongType, "got a json.RawMessage, want JSON: JSON error at byte 0: unexpected end of text"},
		{[]json.Number{"true"}, diag.WrongType, `data/x: got the json.Number "true" at [0], want a number as JSON writes it`},
		{json.Number("+1"), diag.WrongType, `got the json.Number "+1", want`},
		{json.Number(" 1"), diag.WrongType, `got the json.Number " 1", want`},
		{new(big.Int).Lsh(big.NewInt(1), 20_000), diag.WrongType, "data/x: got an integer of 20001 bits, want at most 13600 bits"},
		{json.RawMessage("-1e400"), diag.WrongType, "data/x: got a json.RawMessage, want JSON: JSON error at byte 6: number -1e400 is too large for a float"},
		{json.Number("1e400"), diag.WrongType, `got the json.Number "1e400"`},
		{map[*textKey]int{nil: 1, {1}: 2, {2}: 3}, "", ""},
		{map[*textKey]int{{1}: 2, {N: 1}: 3}, diag.WrongType, `data/x: got two keys whose text is "k1", want keys of different texts`},
	} {
		given := ptc.RunOptions{Data: map[string]any{"x": c.x}}
		_, err := p.Run(t.Context(), given)
		_, rerr := p.Record(t.Context(), ptc.JournalFile{Path: filepath.Join(t.TempDir(), "j")}, given)
		for _, err := range []error{err, rerr} {
			if c.want == "" {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, &ptc.Error{Code: c.code}, c.want)
			require.ErrorContains(t, err, c.want)
		}
	}
	_, err = p.Run(t.Context(), ptc.RunOptions{Data: map[string]any{"x": failingJSON{}}})
	require.ErrorIs(t, err, errFailing)
}

// TestQuotedDataIsCharged: encoding/json may write six bytes for one of a string with the option string.
func TestQuotedDataIsCharged(t *testing.T) {
	p, err := ptc.Compile(t.Context(), "p", "(count (:s data/x))", ptc.Options{Limits: ptc.Limits{Memory: 1 << 20}})
	require.NoError(t, err)
	type plain struct {
		S string `json:"s"`
	}
	type quoted struct {
		S string `json:"s,string"`
	}
	large := string(make([]byte, 300<<10))
	for _, x := range []any{plain{large}, quoted{large[:50<<10]}} {
		_, err = p.Run(t.Context(), ptc.RunOptions{Data: map[string]any{"x": x}})
		require.NoError(t, err)
	}
	_, err = p.Run(t.Context(), ptc.RunOptions{Data: map[string]any{"x": quoted{large}}})
	require.ErrorIs(t, err, &ptc.Error{Code: diag.MemoryExceeded})
}

// TestBadDataOfASession has data refused when it is set, and the data before kept.
func TestBadDataOfASession(t *testing.T) {
	s := ptc.NewSession(ptc.Options{Limits: ptc.Limits{Memory: 1 << 20}})
	data := map[string]any{"a": 1}
	require.NoError(t, s.SetData(data))
	data["a"], data["b"] = make(chan int), 2 // the session has its own map
	for i := range 2 {
		err := s.SetData(map[string]any{"a": 2, "bad": []any{make(chan int)}})
		require.ErrorIs(t, err, &ptc.Error{Code: diag.WrongType})
		require.ErrorContains(t, err, "data/bad: got a Go chan int at [0], want data")
		err = s.SetData(map[string]any{"large": make([]int, 1<<20)})
		require.ErrorIs(t, err, &ptc.Error{Code: diag.MemoryExceeded})
		require.ErrorContains(t, err, "data/large")
		res, err := s.Eval(t.Context(), "(inc data/a)", ptc.EvalOptions{})
		require.Equal(t, "2", edn(t, res, err), i)
	}
	require.Error(t, ptc.NewSession(ptc.Options{Limits: ptc.Limits{Memory: -1}}).SetData(nil))
}
