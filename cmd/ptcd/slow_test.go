package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// peakMemory returns the most memory that the process has had, in kilobytes; 0 where the system does not tell.
func (s *service) peakMemory() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Pid()))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	kb, _ := strconv.Atoi(strings.Fields(after + " 0")[0])
	return kb
}

// TestSlowClients has clients that follow a run and read only the beginning. They neither slow the run nor
// make the service keep all its prints: it keeps a bounded number of events, and the clients lose the first
// ones.
func TestSlowClients(t *testing.T) {
	testlevel.System(t)
	t.Parallel()
	const clients, prints = 60, 600 // each of 10 KB: 360 MB if each client had them all
	s := startService(t, t.TempDir(), "--print-limit", "64MB", "--timeout", "10m")
	run := s.submit(`(ask {:question "go?"}) (let [text (apply str (repeat 10000 "x"))] (dotimes [i ` + fmt.Sprint(prints) + `] (println text)) :printed)`)
	run = s.wait(run.ID)
	for range clients {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		require.NoError(t, err)
		defer conn.Close()
		require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
		fmt.Fprintf(conn, "GET /v1/runs/%s/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", run.ID,
			conn.RemoteAddr(), s.Token)
		first := make([]byte, 1)
		_, err = io.ReadFull(conn, first) // the stream has begun
		require.NoError(t, err)
	}
	before := s.peakMemory()
	_, err := s.Answer(t.Context(), run.ID, run.Pending[0].ID, 1)
	require.NoError(t, err)
	for run.State = store.Waiting; !run.State.Final(); {
		run = s.wait(run.ID)
	}
	assert.Equal(t, `"printed"`, string(run.Value), run.Text)
	if peak := s.peakMemory(); before > 0 {
		t.Logf("%d KB before, %d KB at most", before, peak)
		assert.Less(t, peak-before, 400<<10, "KB; a busy machine collects garbage late")
	}
	var last wire.EventData
	for ev, err := range s.Events(t.Context(), run.ID, 0) {
		require.NoError(t, err)
		last = ev.Data
	}
	require.IsType(t, wire.Changed{}, last)
	assert.Equal(t, store.Succeeded, last.(wire.Changed).State)
}
