package etcd

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLogRepeats wants a message of etcd that is repeated to be logged some times, and others beside it.
func TestLogRepeats(t *testing.T) {
	var out bytes.Buffer
	log := logger(slog.New(slog.NewTextHandler(&out, nil)))
	for range 1000 {
		log.Warn("dropped")
	}
	log.Warn("other")
	n := strings.Count(out.String(), "dropped")
	require.GreaterOrEqual(t, n, 1)
	require.Less(t, n, 1000)
	require.Contains(t, out.String(), "msg=other part=engine")
	require.Panics(t, func() { log.Fatal("the disk is full") })
	require.Contains(t, out.String(), "advice=")
}
