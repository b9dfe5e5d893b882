package access

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkGate measures the time that the gate adds to a request with a token, and separately the check of the token.
func BenchmarkGate(b *testing.B) {
	dir := b.TempDir()
	tokens, err := Open(dir, slog.New(slog.DiscardHandler))
	require.NoError(b, err)
	raw, err := os.ReadFile(filepath.Join(dir, OperatorFile))
	require.NoError(b, err)
	text := strings.TrimSpace(string(raw))
	past := time.Now().Add(-time.Hour) // the time of a file that changed just now is not trusted
	require.NoError(b, os.Chtimes(filepath.Join(dir, TokensFile), past, past))
	g, err := NewGate(Options{Tokens: tokens})
	require.NoError(b, err)
	h := g.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") }))
	b.Run("request", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r := httptest.NewRequest("GET", "/v1/runs/7", nil)
			r.Header.Set("Authorization", "Bearer "+text)
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
	})
	b.Run("verify", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			tokens.Verify(text)
		}
	})
}
