//go:build unix

package ssh_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/sshtest"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/ssh"
)

// TestLeastRecentlyUsed requires a new connection beyond the bound to take the place of the one unused for longest.
func TestLeastRecentlyUsed(t *testing.T) {
	for range 4 { // the order of a map must not decide
		h := sshtest.Start(t, shell, "web1", "web2", "web3", "web4")
		g := grant(h)
		g.Connections = 3
		reg := open(t, g)
		run(t, reg, `(doseq [h ["web1" "web2" "web3" "web1" "web4" "web1" "web3"]]
			(tool/ssh.run {:host h :argv ["true"]}))`)
		for host, want := range map[string]int{"web1": 1, "web2": 1, "web3": 1, "web4": 1} {
			_, made := h.Connections(host)
			assert.Equal(t, want, made, host)
		}
		run(t, reg, `(tool/ssh.run {:host "web2" :argv ["true"]})`)
		_, made := h.Connections("web4")
		assert.Equal(t, 1, made)
		run(t, reg, `(tool/ssh.run {:host "web4" :argv ["true"]})`)
		_, made = h.Connections("web4")
		assert.Equal(t, 2, made, "web4 was unused for longest")
	}
}

// TestSharedByRuns has runs that use hosts concurrently: together they stay within the bounds of all
// connections and of one host.
func TestSharedByRuns(t *testing.T) {
	const runs, most = 6, 5
	h := sshtest.Start(t, shell, "web1", "web2", "web3", "web4")
	g := grant(h)
	g.Connections, g.ConnectionsPerHost, g.Sessions = most, 2, 1
	var open, peak atomic.Int64
	g.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := h.Dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		now := open.Add(1)
		for was := peak.Load(); now > was && !peak.CompareAndSwap(was, now); was = peak.Load() {
		}
		return &counted{Conn: c, open: &open}, nil
	}
	hosts, err := ssh.Open(g)
	require.NoError(t, err)
	reg, err := tool.NewRegistry(hosts.Tools()...)
	require.NoError(t, err)
	var all sync.WaitGroup
	for range runs {
		all.Go(func() {
			_, err := ptc.Run(t.Context(), `(pmap #(tool/ssh.run {:host (str "web" (inc (mod % 4))) :argv ["true"]})
				(range 12))`, ptc.Options{Tools: reg})
			assert.NoError(t, err)
		})
	}
	all.Wait()
	assert.LessOrEqual(t, hosts.Connections(), most)
	assert.Positive(t, hosts.Connections())
	// A connection counts as closed when its closing begins, so one more of each host may still be open.
	assert.LessOrEqual(t, peak.Load(), int64(most+4))
	require.NoError(t, hosts.Close())
	assert.Zero(t, hosts.Connections())
}

// counted is a connection that counts itself.
type counted struct {
	net.Conn
	once sync.Once
	open *atomic.Int64
}

func (c *counted) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

// TestConnectRetries has a host that is reached at the third attempt.
func TestConnectRetries(t *testing.T) {
	h := sshtest.Start(t, shell, "web1")
	for retries, want := range map[int]string{0: `:unreachable`, 1: `:unreachable`, 2: `nil`} {
		g := grant(h)
		g.ConnectRetries = retries
		var attempts atomic.Int64
		g.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if attempts.Add(1) < 3 {
				return nil, errors.New("no route to host")
			}
			return h.Dial(ctx, network, address)
		}
		assert.Equal(t, want, run(t, open(t, g), `(code (do (tool/ssh.run {:host "web1" :argv ["true"]}) nil))`))
		assert.EqualValues(t, retries+1, attempts.Load())
	}
}
