package http

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
)

// TestBounds has servers that answer with too much, too slowly, or not at all.
func TestBounds(t *testing.T) {
	t.Parallel() // it mostly waits
	release := make(chan struct{})
	bomb := bytes.Buffer{}
	z := gzip.NewWriter(&bomb)
	chunk := make([]byte, 1<<20)
	for range 64 {
		z.Write(chunk)
	}
	z.Close()
	base, g := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			w.Write(make([]byte, 2<<20))
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		case "/declared":
			w.Header().Set("Content-Length", "100000000000")
			w.Write([]byte("x"))
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb.Bytes())
		case "/notgzip":
			w.Header().Set("Content-Encoding", "gzip")
			w.Write([]byte("this is no gzip stream"))
		case "/cut":
			w.Header().Set("Content-Length", "100")
			w.Write([]byte("cut"))
			panic(http.ErrAbortHandler)
		case "/slow":
			w.Write([]byte("a"))
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-release:
			}
		case "/silent":
			select {
			case <-r.Context().Done():
			case <-release:
			}
		case "/headers":
			for i := range 2000 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("y", 100))
			}
		case "/control":
			w.Header().Set("Content-Type", "text/plain")
			w.Write(bytes.Repeat([]byte{1}, 900_000))
		case "/deep":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, strings.Repeat("[", 9000)+strings.Repeat("]", 9000))
		}
	})
	t.Cleanup(func() { close(release) })
	g.MaxBytes, g.Timeout = 1<<20, 20*time.Second
	reg, _ := registry(t, g)
	for _, test := range []struct{ program, code, message string }{
		{`(tool/http.get "URL/large")`, ":too-large", "want at most 1048576"},
		{`(tool/http.get "URL/endless")`, ":too-large", "want at most 1048576"},
		{`(tool/http.get "URL/declared")`, ":too-large", "100000000000 bytes or more"},
		{`(tool/http.get "URL/bomb")`, ":too-large", "want at most 1048576"},
		{`(tool/http.get "URL/notgzip")`, ":bad-response", "gzip"},
		{`(tool/http.get "URL/cut")`, ":unavailable", "URL/cut"},
		{`(tool/http.get {:url "URL/slow" :timeout-ms 100})`, ":timeout", "it took longer than 100ms"},
		{`(tool/http.get {:url "URL/silent?token=secret" :timeout-ms 100})`, ":timeout", "it took longer than 100ms"},
		{`(tool/http.get "URL/headers")`, ":unavailable", ""},
	} {
		t.Run(test.program, func(t *testing.T) {
			got, err := run(t, reg, `(try `+test.program+` (catch Exception e [(:code (ex-data e)) (ex-message e)]))`, base)
			require.NoError(t, err)
			assert.Contains(t, got, "["+test.code+" ")
			assert.Contains(t, got, strings.ReplaceAll(test.message, "URL", base))
			assert.NotContains(t, got, "secret")
		})
	}
	// Data that is hostile to who reads it: an error or a value, within the bounds.
	for _, program := range []string{`(count (:body (tool/http.get "URL/control")))`, `(count (:json (tool/http.get "URL/deep")))`} {
		_, err := run(t, reg, program, base)
		var e *ptc.Error
		if err != nil {
			require.ErrorAs(t, err, &e)
			assert.NotEqual(t, diag.Internal, e.Code)
		}
	}
	// An answer that is large as JSON only, and is not made JSON.
	_, err := ptc.Run(t.Context(), `(tool/http.get "`+base+`/control")`, ptc.Options{Tools: reg, Limits: ptc.Limits{CallResult: 1 << 20}})
	require.ErrorContains(t, err, "the text of 900000 bytes takes 5400002 as JSON, the result may have 1048576")
	// An answer that the evaluation has no room for.
	_, err = ptc.Run(t.Context(), `(tool/http.get "`+base+`/large")`, ptc.Options{Tools: reg, Limits: ptc.Limits{Memory: 512 << 10}})
	require.ErrorContains(t, err, "want at most")

	// The end of the run ends a call.
	_, err = ptc.Run(t.Context(), `(tool/http.get "`+base+`/silent")`, ptc.Options{Tools: reg, Limits: ptc.Limits{Timeout: 100 * time.Millisecond}})
	var e *ptc.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, diag.Timeout, e.Code)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err = ptc.Run(ctx, `(tool/http.get "`+base+`/silent")`, ptc.Options{Tools: reg})
	require.ErrorAs(t, err, &e)
	assert.Equal(t, diag.Cancelled, e.Code)
}
