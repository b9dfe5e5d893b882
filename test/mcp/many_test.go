package mcp_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// Many concurrent clients get their own answers, whether they have sessions or not, and leave no memory,
// files or goroutines. With -thorough they come and go for a minute.
func TestManyClients(t *testing.T) {
	const clients = 50
	rounds, until := 1, time.Now()
	if *thorough {
		rounds, until = 1<<30, time.Now().Add(time.Minute)
	}
	few := listen(t, "--concurrent", "8")
	for i := range 4 { // both revisions
		visit(t, few.url, i, 1)
	}
	s := listen(t, "--concurrent", "8")
	var wait sync.WaitGroup
	for i := range clients {
		wait.Go(func() { visit(t, s.url, i, 1) })
	}
	wait.Wait()
	warm := s.memory(t)
	var calls [clients]int
	for i := range clients {
		wait.Go(func() {
			for k := 0; k < rounds && (k == 0 || time.Now().Before(until)) && !t.Failed(); k++ {
				calls[i] += visit(t, s.url, i, 4)
			}
		})
	}
	wait.Wait()
	total := 0
	for _, n := range calls {
		total += n
	}
	end := s.memory(t)
	t.Logf("%d calls; memory %d MB, then %d MB", total, warm>>20, end>>20)
	require.Less(t, end, 2*warm, "memory of the server")
	require.Eventually(t, func() bool { return s.files(t) <= few.files(t) }, time.Minute, 50*time.Millisecond, "open files")
	want, got := few.goroutines(t), s.goroutines(t)
	require.NotEmpty(t, want)
	require.Len(t, got, len(want), "goroutines of the server: %v, want %v", got, want)
}

// visit connects, makes calls and leaves. Every second client is one of an older revision. It returns the number of
// answers.
func visit(t *testing.T, url string, i, calls int) (n int) {
	o := &sdk.ClientSessionOptions{}
	if i%2 == 1 {
		o.ProtocolVersion = "2025-11-25"
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: url, HTTPClient: authorized()}, o)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer c.Close()
	for k := range calls {
		a, err := value(context.WithoutCancel(t.Context()), c, map[string]any{"program": "(reduce + (pmap #(* % data/x) (range 10)))",
			"input": map[string]any{"x": i*1000 + k}})
		if err != nil || a["value"] != float64(45*(i*1000+k)) {
			t.Errorf("client %d, call %d: %v, %v", i, k, a, err)
			return n
		}
		n++
	}
	return n
}

// memory returns the memory of a service, in bytes.
func (s *service) memory(t *testing.T) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	require.NoError(t, err)
	m := regexp.MustCompile(`VmRSS:\s*(\d+) kB`).FindSubmatch(text)
	require.NotNil(t, m, "%s", text)
	kb, err := strconv.Atoi(string(m[1]))
	require.NoError(t, err)
	return kb << 10
}

// files returns the number of open files of a service, such as connections.
func (s *service) files(t *testing.T) int {
	all, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid))
	require.NoError(t, err)
	return len(all)
}

// goroutines ends a service, and returns where its goroutines were made, but those of the runtime.
func (s *service) goroutines(t *testing.T) (made []string) {
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGQUIT))
	text, err := io.ReadAll(s.errs)
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^created by (\S+)`).FindAllSubmatch(text, -1) {
		if !regexp.MustCompile(`^runtime[./]`).Match(m[1]) {
			made = append(made, string(m[1]))
		}
	}
	return made
}
