package pages_test

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store"
)

// TestChanges: a list of runs is told that something has changed.
func TestChanges(t *testing.T) {
	t.Parallel() // it mostly waits
	s := newSite(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.pages.ServeHTTP(w, r.WithContext(access.With(r.Context(), viewer)))
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	live := regexp.MustCompile(`data-live="([^"]+)"`).FindStringSubmatch(s.get(viewer, "/queues"))[1]
	live = html.UnescapeString(live)
	r, err := http.NewRequestWithContext(ctx, "GET", server.URL+live, nil)
	require.NoError(t, err)
	resp, err := server.Client().Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
	read := func(want string) {
		got := make([]byte, len(want))
		_, err := io.ReadFull(resp.Body, got)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	read(":\n\n")
	s.ran(store.Submission{Source: "1"})
	read("event: changed\ndata: {}\n\n")

	again, err := http.NewRequestWithContext(ctx, "GET", server.URL+live, nil)
	require.NoError(t, err)
	late, err := server.Client().Do(again) // of a page from before the run
	require.NoError(t, err)
	defer late.Body.Close()
	resp = late
	read(":\n\nevent: changed\ndata: {}\n\n")
}
