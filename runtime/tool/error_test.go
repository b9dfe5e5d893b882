package tool

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestRetryAfterIsRoundedUp: what waits as long as it is told is never too early.
func TestRetryAfterIsRoundedUp(t *testing.T) {
	for _, c := range []struct {
		wait time.Duration
		ms   int64
	}{{0, 0}, {1, 1}, {time.Millisecond, 1}, {time.Millisecond + 1, 2}, {time.Second - 1, 1000}} {
		assert.Equal(t, c.ms, new(Tool).failureOf(t.Context(), &Error{RetryAfter: c.wait}).RetryAfter, c.wait)
	}
}
