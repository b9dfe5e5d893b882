package browser

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster"
	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/cluster/pki"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/store"
)

// nodeConfig returns the settings of the only node of a cluster.
func nodeConfig(t *testing.T, folder string) *config.Config {
	t.Helper()
	address := func() string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		return l.Addr().String()
	}
	c := config.Default()
	c.ClusterID, c.Node, c.Encryption.Enabled, c.Storage.Replicas = "trial", "node1", false, 1
	c.Controllers = []config.Controller{{Name: "node1", Address: address(), EngineAddress: address(), Role: config.Voter,
		Region: "east"}}
	authority, err := pki.NewAuthority("trial", pki.NodeLifetime)
	require.NoError(t, err)
	ca := filepath.Join(folder, "ca")
	require.NoError(t, os.Mkdir(ca, 0o700))
	require.NoError(t, authority.Write(ca))
	cert, key, err := authority.Issue("trial", "node1", []string{"127.0.0.1"}, pki.NodeLifetime)
	require.NoError(t, err)
	c.MTLS.CACert, c.MTLS.CAKey = filepath.Join(ca, pki.AuthorityCert), filepath.Join(ca, pki.AuthorityKey)
	c.MTLS.Cert, c.MTLS.Key = filepath.Join(ca, "cert.pem"), filepath.Join(ca, "key.pem")
	require.NoError(t, os.WriteFile(c.MTLS.Cert, cert, 0o600))
	require.NoError(t, os.WriteFile(c.MTLS.Key, key, 0o600))
	return c
}

// nodeStore ends its node when it is closed.
type nodeStore struct {
	store.Store
	node *cluster.Node
}

func (s nodeStore) Close() error { return s.node.Close() }

// TestNodes shows the node of a cluster, with and without the script, narrow and wide, and spreads the queued runs.
func TestNodes(t *testing.T) {
	t.Parallel()
	s := serviceOn(t, func(folder string) (serve.Options, func(*serve.Engine, http.Handler) http.Handler) {
		node, err := cluster.Open(t.Context(), cluster.Options{Config: nodeConfig(t, folder), Dir: folder, Release: "v1.2.3"})
		require.NoError(t, err)
		require.NoError(t, node.Join(member.Info{}))
		return serve.Options{Store: nodeStore{node.Store(), node}, Placement: node.Placement(), Nodes: node.Nodes(),
			Cluster: node.Cluster(), Views: node.Views()}, node.Serve
	})
	for _, v := range []view{{400, false}, {1600, true}} {
		tb := s.signedIn(t, v)
		if v.width == 400 {
			tb.withoutScript()
		}
		tb.do(chromedp.Navigate(s.url+"/nodes"), chromedp.WaitVisible(chromedp.CSS("#nodes")))
		tb.fits()
		text := eval[string](tb, `document.querySelector("#nodes").innerText`)
		for _, want := range []string{"node1", "voter", "votes", "east", "v1.2.3", "schedules", "1 nodes vote", "admits nodes"} {
			require.Contains(t, text, want)
		}
		if v.width == 400 {
			continue
		}
		tb.until(`document.querySelector("#nodes").innerText.includes("alive")`) // without another request of the reader
		require.True(t, eval[bool](tb, `document.querySelector("button[value=drain]") !== null`))
		tb.click(`button[value="rebalance"]`)
		tb.do(chromedp.WaitVisible(chromedp.CSS("#nodes")))
	}
}
