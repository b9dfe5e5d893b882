package flags_test

import (
	"testing"

	"github.com/ptc-lang/ptc/cmd/internal/flags"
)

// TestSizes holds how sizes are read and written.
func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "1b": 1, "1k": 1 << 10, "1KB": 1 << 10, "1KiB": 1 << 10, "64MB": 64 << 20, "64m": 64 << 20, "2GB": 2 << 30, "1_000": 1000, "1024GB": 1 << 40,
	} {
		var n int64
		if err := flags.Size(&n, 1, int64(1<<40)).Set(text); err != nil || n != want {
			t.Errorf("%s: got %d, %v, want %d", text, n, err, want)
		}
	}
	for n, want := range map[int64]string{1: "1B", 1023: "1023B", 1 << 10: "1KB", 3 << 19: "1536KB", 1 << 20: "1MB",
		1 << 40: "1024GB"} {
		if got := flags.SizeText(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}
