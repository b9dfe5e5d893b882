package etcd

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLogRepeats requires a repeated message of etcd to be logged only some times, without suppressing others.
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
