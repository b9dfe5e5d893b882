package api_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/serve"
)

// TestLargeBodies sends large bodies that do not end: a bounded number of one identity is accepted, others
// are refused, and small ones pass.
func TestLargeBodies(t *testing.T) {
	f := newFixture(t, serve.Options{})
	const most = 4
	answers := make(chan int, most+1)
	var ends []*io.PipeWriter
	send := func() {
		body, end := io.Pipe()
		ends = append(ends, end)
		req, err := http.NewRequestWithContext(t.Context(), "POST", f.server.URL+"/v1/runs", body) // of unknown size
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		go func() {
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				answers <- 0
				return
			}
			defer resp.Body.Close()
			io.Copy(io.Discard, resp.Body)
			answers <- resp.StatusCode
		}()
		fmt.Fprint(end, `{"source": "(count data/a)", "data": {"a": "`, strings.Repeat("x", 1000))
	}
	for range most {
		send()
	}
	require.Eventually(t, func() bool { // all have arrived
		select {
		case status := <-answers: // the request below was there before one of them
			require.Equal(t, http.StatusTooManyRequests, status)
			send()
		default:
		}
		resp, err := http.Post(f.server.URL+"/v1/runs", "application/json", io.MultiReader(strings.NewReader(`{"source": "1"}`)))
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusTooManyRequests && resp.Header.Get("Retry-After") == "1"
	}, time.Minute, 10*time.Millisecond)
	f.want(201, "POST", "/v1/runs", `{"source": "1"}`, nil)
	for _, end := range ends {
		fmt.Fprint(end, `"}}`)
		end.Close()
	}
	for range most {
		require.Equal(t, 201, <-answers)
	}
	f.want(201, "POST", "/v1/runs", `{"source": "1"}`, nil)
}
