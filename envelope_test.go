package ptc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/runtime/effect"
)

func written(t *testing.T, e *ptc.Envelope) string {
	t.Helper()
	var b bytes.Buffer
	n, err := e.WriteTo(&b)
	require.NoError(t, err)
	require.Equal(t, int64(b.Len()), n)
	require.True(t, json.Valid(b.Bytes()), b.String())
	return b.String()
}

func TestEnvelope(t *testing.T) {
	res, err := ptc.Run(t.Context(), `(println "<a> \"value\":null") {:a [1 1/4 nil]}`, ptc.Options{})
	text := written(t, res.Envelope(err, 0))
	assert.True(t, strings.HasPrefix(text, `{"status":"ok","value":{"a":[1,0.25,null]},"prints":"<a> \"value\":null\n","error":null,"usage":{"steps":`), text)
	assert.True(t, strings.HasSuffix(text, "}}\n"), text)
	assert.Nil(t, res.Envelope(err, 4000).Cut)

	res, err = ptc.Run(t.Context(), `(println "so far") (/ 1 0)`, ptc.Options{})
	text = written(t, res.Envelope(err, 0))
	assert.Contains(t, text, `{"status":"error","value":null,"prints":"so far\n","error":{"code":"arithmetic",`)
	_, err = ptc.Compile(t.Context(), "p.ptc", "(", ptc.Options{})
	assert.Equal(t, diag.SyntaxError, (*ptc.Result)(nil).Envelope(err, 0).Error.Code)

	res, err = ptc.Run(t.Context(), `{:a 1 "a" 2}`, ptc.Options{})
	require.NoError(t, err)
	e := res.Envelope(nil, 0)
	assert.Equal(t, ptc.StatusError, e.Status)
	assert.Equal(t, diag.IllegalArgument, e.Error.Code)
}

func TestZeroEnvelope(t *testing.T) {
	var text bytes.Buffer
	_, err := new(ptc.Envelope).WriteTo(&text)
	require.NoError(t, err)
	assert.True(t, json.Valid(text.Bytes()), text.String())
}

// TestEnvelopeOfAnErrorAlone requires the room that value and prints leave to be the error's.
func TestEnvelopeOfAnErrorAlone(t *testing.T) {
	_, err := ptc.Run(t.Context(), `(throw (ex-info (apply str (repeat 1500 "x")) {}))`, ptc.Options{})
	require.Error(t, err)
	e := (*ptc.Result)(nil).Envelope(err, 3000)
	assert.Len(t, e.Error.Message, 1500)
	assert.Nil(t, e.Cut)
}

// TestEnvelopeIsBounded makes envelopes of parts of any size, and wants each within its bound.
func TestEnvelopeIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	texts := []string{"a", "\n", "漢", "😀", `"`, "\x01", "<"}
	long := func(n int) string { return strings.Repeat(texts[r.IntN(len(texts))], r.IntN(n)) }
	sizes := []int{10, 1000, 5000, 60_000}
	for range testlevel.Size(40, 150) {
		n := sizes[r.IntN(len(sizes))]
		source := fmt.Sprintf("(print %q) [%q 1]", "", "")
		if r.IntN(4) > 0 {
			source = fmt.Sprintf("(print (apply str (repeat %d %q))) (vec (repeat %d [%q %d]))", r.IntN(n), texts[r.IntN(len(texts))],
				r.IntN(n/2), texts[r.IntN(len(texts))], r.IntN(1000))
		}
		res, err := ptc.Run(t.Context(), strings.ReplaceAll(source, `\x01`, `\u0001`), ptc.Options{})
		require.NoError(t, err, source)
		if r.IntN(3) == 0 {
			file := token.NewFile(long(n), "(f)")
			e := &ptc.Error{Code: diag.ToolFailed, Class: long(50), Message: long(n), Hint: long(n),
				Span: token.Span{File: file, End: 1}, Data: long(n)}
			for range r.IntN(40) {
				e.Frames = append(e.Frames, diag.Frame{Function: long(n / 10), Span: e.Span})
				e.Elements = append(e.Elements, diag.Element{Operation: "pmap", Text: long(n / 10)})
			}
			e.Cause = &ptc.Error{Message: long(n)}
			if r.IntN(2) == 0 {
				parked := &ptc.Parked{}
				for range r.IntN(30) {
					parked.Pending = append(parked.Pending, effect.Pending{ID: "0#1", Question: long(n / 5)})
				}
				e.Err = parked
			}
			err = e
		}
		if r.IntN(3) == 0 {
			for range r.IntN(n/20 + 1) {
				res.Usage.Tools = append(res.Usage.Tools, ptc.ToolUsage{Name: "search", Calls: 1 << 60})
			}
		}
		most := 2048 + r.IntN(n)
		if r.IntN(5) == 0 {
			most = 1
		}
		e := res.Envelope(err, most)
		text := written(t, e)
		assert.LessOrEqual(t, len(text), max(most, 2048), "%.200s", text)
		whole := written(t, res.Envelope(err, 0))
		assert.Equal(t, e.Cut == nil, len(text) == len(whole), "%d bytes of %d, most %d: %+v", len(text), len(whole), most, e.Cut)
		if e.Cut == nil {
			assert.Equal(t, whole, text)
		} else if e.Cut.Value > 0 {
			assert.Greater(t, len(text), max(most, 2048)/8, "%.300s", text)
		}
		if err != nil {
			var own *ptc.Error
			require.True(t, errors.As(err, &own))
			assert.Equal(t, own.Code, e.Error.Code)
		}
	}
}

// TestEnvelopePending checks the list of effects that a parked run waits for, and that a long list is cut.
func TestEnvelopePending(t *testing.T) {
	res, err := ptc.Run(t.Context(), `(print "a") (pmap #(ask {:question (str "Which " %)}) (range 50))`,
		ptc.Options{Limits: ptc.Limits{Workers: 50}})
	text := written(t, res.Envelope(err, 0))
	assert.Contains(t, text, `"pending":[{"id":"0.1.0#1","kind":"question","class":"read-only","question":"Which 0",`)
	assert.Equal(t, 50, strings.Count(text, `"kind":"question"`))
	e := res.Envelope(err, 4000)
	assert.Less(t, len(e.Pending), 50)
	assert.Greater(t, len(e.Pending), 5)
	assert.Greater(t, e.Cut.Pending, 4000)
	assert.LessOrEqual(t, len(written(t, e)), 4000)
	assert.Equal(t, diag.Parked, e.Error.Code)
	assert.Equal(t, "a", e.Prints)
}

func TestEnvelopeCutsTheValue(t *testing.T) {
	res, err := ptc.Run(t.Context(), `(vec (range 100000))`, ptc.Options{})
	require.NoError(t, err)
	e := res.Envelope(nil, 3000)
	require.NotNil(t, e.Cut)
	assert.Equal(t, 588891, e.Cut.Value)
	assert.True(t, bytes.HasPrefix(e.Value, []byte(`"[0,1,2,3,4,`)), "%.100s", e.Value)
	assert.True(t, bytes.HasSuffix(e.Value, []byte(`…"`)))
	assert.Greater(t, len(written(t, e)), 2500)
}
