package ptc_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
)

// decodedInts are integers in all places of a Go variable.
type decodedInts struct {
	A  int8 `json:"a"`
	B  *uint64
	C  []int
	D  map[string]int64
	E  [2]struct{ N int }
	F  float64
	G  any
	H  json.Number
	I  json.RawMessage
	J  int `json:"j,string"`
	Jj int `json:"jj"`
	embeddedInts
}

type embeddedInts struct{ K uint8 }

// TestDecodeWholeFloats has whole floats decoded into integers, and kept everywhere else.
func TestDecodeWholeFloats(t *testing.T) {
	res, err := ptc.Run(t.Context(), `{:a 2.0 :b 9007199254740993.0 :C [1.0 -0.0 1e18] :d {:x -4.0} :e [{:n 1.0} {"N" 2.0}]
		:f 2.0 :g 2.0 :h 2.0 :i [2.0] :j "7" :jj 1.0 :k 255.0 :unknown 2.0}`, ptc.Options{})
	require.NoError(t, err)
	var got decodedInts
	require.NoError(t, res.Decode(&got))
	b := uint64(9007199254740992)
	want := decodedInts{A: 2, B: &b, C: []int{1, 0, 1e18}, D: map[string]int64{"x": -4}, E: [2]struct{ N int }{{1}, {2}}, F: 2, G: 2.0,
		H: "2.0", I: json.RawMessage(`[2.0]`), J: 7, Jj: 1, embeddedInts: embeddedInts{255}}
	assert.Equal(t, want, got)
	for source, want := range map[string]int64{"3.0": 3, "-9223372036854775808.0": math.MinInt64, "0.0": 0, "-0.0": 0} {
		res, err := ptc.Run(t.Context(), source, ptc.Options{})
		require.NoError(t, err)
		n := int64(-1)
		require.NoError(t, res.Decode(&n))
		assert.Equal(t, want, n)
	}
}

// TestDecodeMismatch checks that errors say what was got, where, and what was wanted.
func TestDecodeMismatch(t *testing.T) {
	type order struct {
		ID    int `json:"id"`
		Lines []struct {
			Count uint8
			Names map[int]string
		}
	}
	for source, want := range map[string]string{
		`[{:id 1} {:id 2.5}]`:                     `got the number 2.5 at [1 "id"], want a Go int`,
		`[{:id "x"}]`:                             `got a JSON string at [0 "id"], want a Go int`,
		`[{:id [1]}]`:                             `got a JSON array at [0 "id"], want a Go int`,
		`[{:id {:a 1}}]`:                          `got a JSON object at [0 "id"], want a Go int`,
		`[{:id true}]`:                            `got a JSON bool at [0 "id"], want a Go int`,
		`[{:other {:id {:id [{}]}} :id 1e30}]`:    `got the number 1.0E30 at [0 "id"], want a Go int`,
		`[{:id 9223372036854775808.0}]`:           `got the number 9223372036854775808 at [0 "id"], want a Go int`,
		`[{} {:lines [{:count 1} {:count 256}]}]`: `got the number 256 at [1 "lines" 1 "count"], want a Go uint8`,
		`[{:lines [{:count -1.0}]}]`:              `got the number -1 at [0 "lines" 0 "count"], want a Go uint8`,
		`[{:lines [{:names {:x "a"}}]}]`:          `got the key "x" at [0 "lines" 0 "names" "x"], want a Go int`,
		`{:id 1}`:                                 "got a JSON object, want a Go []ptc_test.order",
		`[1]`:                                     "got a JSON number at [0], want a Go ptc_test.order",
	} {
		res, err := ptc.Run(t.Context(), source, ptc.Options{})
		require.NoError(t, err)
		var orders []order
		err = res.Decode(&orders)
		require.ErrorIs(t, err, &ptc.Error{Code: diag.WrongType}, source)
		assert.ErrorContains(t, err, want, source)
		var mismatch *json.UnmarshalTypeError
		assert.ErrorAs(t, err, &mismatch)
	}
	var n int
	for _, bad := range []any{nil, n, (*int)(nil), "x"} {
		err := (&ptc.Result{}).Decode(bad)
		require.ErrorIs(t, err, &ptc.Error{Code: diag.IllegalArgument})
		require.ErrorContains(t, err, "want a pointer to a variable")
	}
}

type panickingInt int

func (*panickingInt) UnmarshalJSON([]byte) error { panic("no int") }

type textlessInt int

func (*textlessInt) UnmarshalJSON([]byte) error { return (*textlessError)(nil) }

// TestDecodePanics: a panic of a method of the variable is an error of the host.
func TestDecodePanics(t *testing.T) {
	res, err := ptc.Run(t.Context(), "[1]", ptc.Options{})
	require.NoError(t, err)
	for _, v := range []any{new([]panickingInt), new([]textlessInt)} {
		err := res.Decode(v)
		require.ErrorIs(t, err, &ptc.Error{Code: diag.HostFailed})
		require.ErrorContains(t, err, "a method of the Go variable panicked")
	}
}
