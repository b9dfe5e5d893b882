package main

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/ptcdtest"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/store"
)

// made runs ptcd to make files, and wants it to succeed.
func made(t testing.TB, args ...string) {
	t.Helper()
	out, err := command(t, args...)
	require.NoError(t, err, "%s", out)
}

// freeAddress returns an address that nothing listens on now.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// newRegions starts two clusters of one node each, which exchange facts.
func newRegions(t *testing.T) (us, eu *members) {
	t.Helper()
	certs := filepath.Join(t.TempDir(), "certs")
	made(t, "cluster", "regions", "--dir", certs, "--name", "world", "--node", "us/node1", "--node", "eu/node1")
	at := map[string]string{"us": freeAddress(t), "eu": freeAddress(t)}
	all := make(map[string]*members)
	for name, other := range map[string]string{"us": "eu", "eu": "us"} {
		c := &members{t: t, dir: t.TempDir(), nodes: make(map[string]*ptcdtest.Process)}
		made(t, "cluster", "init", "--nodes", "1", "--name", name, "--dir", c.dir, "--allow-facts", "write")
		c.append("node1.yaml", fmt.Sprintf("  regions:\n    name: world\n    listen: %q\n    ca_cert: %s/ca.pem\n"+
			"    cert: %s/%s-node1.pem\n    key: %s/%s-node1-key.pem\n    peers: [%s/node1=%s]\n",
			at[name], certs, certs, name, certs, name, other, at[other]))
		c.start("node1")
		all[name] = c
	}
	return all["us"], all["eu"]
}

// value runs a program on a node, and returns its value.
func (c *members) value(ctx context.Context, node, source string) string {
	c.t.Helper()
	run, err := c.at(node).Submit(ctx, store.Submission{Source: source}, 0)
	require.NoError(c.t, err, source)
	run, err = c.at(node).Wait(ctx, run.ID)
	require.NoError(c.t, err)
	require.Equal(c.t, store.Succeeded, run.State, run.Text)
	return string(run.Value)
}

// TestClusterRegions starts two clusters that exchange facts, and kills one of them: it receives the missed
// facts when it is back, and the later of two writes of a fact wins in both.
func TestClusterRegions(t *testing.T) {
	t.Parallel() // it mostly waits
	testlevel.System(t)
	us, eu := newRegions(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	put := func(c *members, fact, value string) {
		c.value(ctx, "node1", fmt.Sprintf(`(tool/facts.put {:host "web-1" :fact %q :value %q})`, fact, value))
	}
	eventually := func(c *members, want string) {
		t.Helper()
		get := `(:facts (tool/facts.get {:host "web-1" :level "strong"}))`
		for got := ""; got != want; got = c.value(ctx, "node1", get) {
			require.NoError(t, ctx.Err(), "want %s, got %s", want, got)
			time.Sleep(50 * time.Millisecond)
		}
	}
	put(us, "os", "debian")
	eventually(eu, `{"os":"debian"}`)
	put(eu, "os", "alpine") // it has seen the other one, so it is later
	eventually(us, `{"os":"alpine"}`)

	eu.nodes["node1"].Kill()
	put(us, "disk", "full")
	put(us, "os", "arch")
	eu.start("node1")
	eventually(eu, `{"disk":"full","os":"arch"}`)
	put(eu, "up", "yes")
	eventually(us, `{"disk":"full","os":"arch","up":"yes"}`)
	eventually(eu, `{"disk":"full","os":"arch","up":"yes"}`)
}
