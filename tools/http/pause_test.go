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

// TestRetryAfterPauses has a service that says, in seconds or by a date, when it may be
// asked again. It counts who comes before: nobody does under a rate limit of the host, be
// it the program's or the grant's, though the program does not heed the error at all.
func TestRetryAfterPauses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		status int
		date   bool
		rate   string
		call   string
		early  bool
	}{
		{"seconds, rate of the program", 429, false, "", `(rate-limited "HOST" {:per-second 1000 :burst 100} (tool/http.get "URL/x"))`, false},
		{"date, rate of the grant", 503, true, ",rate=1000", `(tool/http.get "URL/x")`, false},
		{"seconds, rate of the grant", 429, false, ",rate=1000", `(tool/http.get "URL/x")`, false},
		{"another key", 429, false, "", `(rate-limited "other" {:per-second 1000 :burst 100} (tool/http.get "URL/x"))`, true},
		{"no rate", 429, false, "", `(tool/http.get "URL/x")`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			requests, early := 0, 0
			var until time.Time
			base, g := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				if time.Now().Before(until) {
					early++
				}
				if requests++; requests != 3 {
					return
				}
				after := time.Second
				if c.early { // nothing waits for it
					after = time.Hour
				}
				if until = time.Now().Add(after); c.date {
					until = until.Add(time.Second).Truncate(time.Second)
					w.Header().Set("Retry-After", until.UTC().Format(http.TimeFormat))
				} else {
					w.Header().Set("Retry-After", fmt.Sprint(int(after.Seconds())))
				}
				w.WriteHeader(c.status)
			})
			host := strings.TrimPrefix(base, "https://")
			h, err := ParseHost(host + "=GET" + c.rate)
			require.NoError(t, err)
			g.Hosts = []Host{h}
			reg, _ := registry(t, g)
			program := `(mapv (fn [_] (try (:status ` + strings.ReplaceAll(c.call, "HOST", host) + `) (catch Exception e (:code (ex-data e))))) (range 6))`
			got, err := run(t, reg, program, base)
			require.NoError(t, err)
			mu.Lock()
			defer mu.Unlock()
			assert.Equal(t, 6, requests)
			assert.Equal(t, c.early, early > 0, "%d requests came too early", early)
			assert.Equal(t, 5, strings.Count(got, "200"))
		})
	}
}

func TestRates(t *testing.T) {
	h, err := ParseHost("api.example.com=GET, rate=0.5")
	require.NoError(t, err)
	assert.Equal(t, Host{Name: "api.example.com", Methods: []string{"GET"}, PerSecond: 0.5}, h)
	h, err = ParseHost("api.example.com=rate=10")
	require.NoError(t, err)
	assert.Equal(t, Host{Name: "api.example.com", PerSecond: 10}, h)
	for _, text := range []string{"a.test=GET,rate=", "a.test=rate=0", "a.test=rate=-1", "a.test=rate=NaN", "a.test=rate=1e99", "a.test=rate=ten"} {
		_, err := ParseHost(text)
		assert.ErrorContains(t, err, "want requests a second", text)
	}
}
