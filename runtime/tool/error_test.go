package tool

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestRetryAfterIsRoundedUp: a call that waits for the returned time is never too early.
func TestRetryAfterIsRoundedUp(t *testing.T) {
	for _, c := range []struct {
		wait time.Duration
		ms   int64
	}{{0, 0}, {1, 1}, {time.Millisecond, 1}, {time.Millisecond + 1, 2}, {time.Second - 1, 1000}} {
		assert.Equal(t, c.ms, new(Tool).failureOf(t.Context(), &Error{RetryAfter: c.wait}).RetryAfter, c.wait)
	}
}

// TestDataOfAFailure requires a failure whose data has no JSON, or too much, to say so, and to keep all else.
func TestDataOfAFailure(t *testing.T) {
	cycle := map[string]any{}
	cycle["self"] = cycle
	for _, c := range []struct {
		data    any
		want    string
		message string
	}{
		{map[string]int{"left": 0}, `{"left":0}`, "sold out"},
		{nil, "", "sold out"},
		{func() {}, "", "sold out (its data is left out: json: unsupported type: func())"},
		{math.NaN(), "", "sold out (its data is left out: json: unsupported value: NaN)"},
		{json.RawMessage("{"), "", "its data is left out: json: error calling MarshalJSON for type json.RawMessage"},
		{cycle, "", "its data is left out: json: unsupported value: encountered a cycle"},
		{strings.Repeat("x", 100_000), "", "its data is left out: got 100002 bytes of JSON, want at most 65536"},
	} {
		f := (&Tool{}).failureOf(t.Context(), &Error{Code: "no-stock", Message: "sold out", Retryable: true, Data: c.data})
		assert.Equal(t, c.want, string(f.Data))
		assert.Contains(t, f.Message, c.message)
		assert.Equal(t, "no-stock", f.Code)
		assert.True(t, f.Retryable)
		assert.Equal(t, !strings.Contains(c.message, "left out"), f.Hint == "")
	}
}
