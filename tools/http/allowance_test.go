package http

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// window is a service that allows some requests in each window of time, and counts those beyond them.
type window struct {
	mu       sync.Mutex
	length   time.Duration
	allowed  int
	tells    bool // in headers how many it still allows
	end      time.Time
	left     int
	requests int
	over     int
}

func (s *window) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.After(s.end) {
		s.end, s.left = now.Add(s.length), s.allowed
	}
	s.requests++
	if s.left--; s.left < 0 {
		s.over++
	}
	if s.tells {
		w.Header().Set("X-RateLimit-Limit", fmt.Sprint(s.allowed))
		w.Header().Set("X-RateLimit-Remaining", fmt.Sprint(max(s.left, 0)))
		w.Header().Set("X-RateLimit-Reset", fmt.Sprint(s.end.UnixMilli()+1))
	}
}

// TestAllowance has eight workers call a real service that tells its allowance: together they obey it, although the
// rate of the grant is far above it. They do not if the service tells nothing.
func TestAllowance(t *testing.T) {
	t.Parallel()
	for _, tells := range []bool{true, false} {
		t.Run(fmt.Sprint(tells), func(t *testing.T) {
			t.Parallel()
			s := &window{length: time.Hour, allowed: 12, tells: tells}
			if tells {
				s.length = 300 * time.Millisecond
			}
			base, g := serve(t, s.ServeHTTP)
			h, err := ParseHost(strings.TrimPrefix(base, "https://") + "=GET,rate=2000")
			require.NoError(t, err)
			g.Hosts = []Host{h}
			reg, _ := registry(t, g)
			got, err := run(t, reg, `(frequencies (pmap (fn [_] (:status (tool/http.get "URL/x"))) (range 50)))`, base)
			require.NoError(t, err)
			assert.Equal(t, "{200 50}", got)
			s.mu.Lock()
			defer s.mu.Unlock()
			assert.Equal(t, 50, s.requests)
			if tells {
				assert.LessOrEqual(t, s.over, 2, "of a window that ends while requests are under way")
			} else {
				assert.Equal(t, 38, s.over)
			}
		})
	}
}

func TestUntilReset(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	c := &client{now: func() time.Time { return now }}
	for text, want := range map[string]time.Duration{
		"30": 30 * time.Second, "0.5": time.Second / 2, " 7 ": 7 * time.Second, "3600": time.Hour, "7200": time.Hour,
		fmt.Sprint(now.Unix() + 9): 9 * time.Second, fmt.Sprint(now.UnixMilli() + 250): time.Second / 4,
		fmt.Sprint(now.Unix() - 9): 0, "0": 0, "-1": 0, "": 0, "soon": 0, "NaN": 0, "Inf": 0, "1e300": 0,
	} {
		assert.InDelta(t, want, c.untilReset(text), float64(time.Millisecond), "%q", text)
	}
}
