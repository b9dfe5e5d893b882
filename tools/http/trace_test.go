package http

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// TestTrace: granted services get the span of the call, also after a redirect; others get nothing. A
// program can set its own trace, and a run without spans sends none.
func TestTrace(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	var mu sync.Mutex
	var got []string
	record := func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.URL.Path+" "+r.Header.Get("Traceparent")+" "+r.Header.Get("Tracestate"))
	}
	other, og := serve(t, record)
	unknown, _ := serve(t, record)
	base, g := serve(t, func(w http.ResponseWriter, r *http.Request) {
		record(w, r)
		switch r.URL.Path {
		case "/elsewhere":
			http.Redirect(w, r, other+"/there", http.StatusFound)
		case "/unknown":
			http.Redirect(w, r, unknown+"/nobody", http.StatusFound)
		}
	})
	g.Roots.AddCert(certOf(t, other))
	g.Roots.AddCert(certOf(t, unknown))
	g.Hosts = append(g.Hosts, og.Hosts...)
	reg, _ := registry(t, g)
	for _, test := range []struct {
		state, program string
		want           []string
	}{
		{"a=b", `(tool/http.get {:url "URL/x"})`, []string{"/x " + parent + " a=b"}},
		{"", `(tool/http.get {:url "URL/elsewhere"})`, []string{"/elsewhere " + parent + " ", "/there " + parent + " "}},
		{"a=b", `(try (tool/http.get {:url "URL/unknown"}) (catch Exception e nil))`, []string{"/unknown " + parent + " a=b"}},
		{"a=b", `(tool/http.get {:url "URL/own" :headers {"traceparent" "mine"}})`, []string{"/own mine "}},
	} {
		got = nil
		ctx := effect.WithTrace(t.Context(), effect.Trace{Parent: parent, State: test.state})
		_, err := ptc.Run(ctx, strings.ReplaceAll(test.program, "URL", base), ptc.Options{Tools: reg})
		require.NoError(t, err)
		assert.Equal(t, test.want, got)
	}
	got = nil
	_, err := run(t, reg, `(tool/http.get {:url "URL/x"})`, base)
	require.NoError(t, err)
	assert.Equal(t, []string{"/x  "}, got)
}
