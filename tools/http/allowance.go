// This file defines how answers change the rate of requests.

package http

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// allowances are the headers in which services state how many requests they still allow, and until when.
var allowances = []struct{ remaining, reset string }{
	{"X-RateLimit-Remaining", "X-RateLimit-Reset"},
	{"X-Rate-Limit-Remaining", "X-Rate-Limit-Reset"},
	{"RateLimit-Remaining", "RateLimit-Reset"},
}

// heed adapts the rate limit of the host to the allowance in an answer. The time is at most maxRetryAfter, so that no
// service can stop a host for longer.
func (c *client) heed(ctx context.Context, h http.Header) {
	for _, names := range allowances {
		remaining, err := strconv.ParseUint(strings.TrimSpace(h.Get(names.remaining)), 10, 31)
		if err != nil {
			continue
		}
		if within := c.untilReset(h.Get(names.reset)); within > 0 {
			tool.Allow(ctx, int(remaining), within)
			return
		}
	}
}

// earliest is the smallest number of seconds that is a time since 1970, and not one from now.
const earliest = 1_000_000_000

// untilReset returns the time until an allowance is renewed: a number of seconds, or of seconds or milliseconds since
// 1970. It returns 0 for anything else.
func (c *client) untilReset(text string) time.Duration {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(n > 0 && n < 1e15) {
		return 0
	}
	if n >= earliest*1000 {
		n /= 1000
	}
	if n >= earliest {
		n -= float64(c.now().UnixMilli()) / 1000
	}
	return time.Duration(min(max(n, 0), maxRetryAfter.Seconds()) * float64(time.Second))
}
