package etcd

import (
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/etcdserver/api/rafthttp"
)

// TestSender wants requests about the log to be those of the member of the node that sends them.
func TestSender(t *testing.T) {
	t.Parallel()
	sender := "node1"
	c := openInProcess(t, 1, func(o *Options) {
		o.TLS.Node = func(tls.ConnectionState, func(string) bool) (string, error) { return sender, nil }
	})
	e := c.engine(0)
	own, stream := e.server.Server.MemberID().String(), rafthttp.RaftStreamPrefix+"/message/"
	for _, x := range []struct{ node, path, id, want string }{
		{"node1", "/members", "", ""},
		{"node1", rafthttp.ProbingPrefix, "", ""},
		{"node1", rafthttp.RaftPrefix, own, ""},
		{"node1", rafthttp.RaftSnapshotPrefix, own, ""},
		{"node1", stream + own, own, ""},
		{"node9", stream + "abc", "abc", ""}, // it has joined, and this member does not know it yet
		{"node9", rafthttp.RaftPrefix, "", "node9 sends as no member"},
		{"node9", rafthttp.RaftSnapshotPrefix, "x", "node9 sends as no member"},
		{"node9", stream + own, "", "node9 sends as no member"},
		{"node9", stream + own, "abc", "node9 wants the messages for the member " + own},
		{"node9", rafthttp.RaftPrefix, own, "node9 sends as the member of node1"},
	} {
		sender = x.node
		r := httptest.NewRequest(http.MethodPost, x.path, nil)
		r.TLS = &tls.ConnectionState{}
		r.Header.Set(senderHeader, x.id)
		if x.want == "" {
			require.NoError(t, e.check(r), "%v", x)
			continue
		}
		require.ErrorContains(t, e.check(r), x.want, "%v", x)
		w := httptest.NewRecorder()
		e.answers.Handler.ServeHTTP(w, r)
		require.Equal(t, http.StatusUnauthorized, w.Code)
	}
}

// TestRefusedForAWhile has a member refuse another one for a while, as it does with an old certificate of a node, or
// before it knows the node. The other one was not removed: it goes on.
func TestRefusedForAWhile(t *testing.T) {
	t.Parallel()
	var refuses atomic.Bool
	var refused atomic.Int64
	c := openInProcess(t, 2, func(o *Options) {
		sender := map[string]string{"node1": "node2", "node2": "node1"}[o.Name]
		o.TLS.Node = func(tls.ConnectionState, func(string) bool) (string, error) {
			if refuses.Load() && sender == "node1" {
				refused.Add(1)
				return "", errors.New("not yet")
			}
			return sender, nil
		}
	})
	c.Stop(0)
	refuses.Store(true)
	c.Start(0)
	e := c.engine(0)
	for before := refused.Load(); refused.Load() < before+30; {
		select {
		case <-e.Ended():
			require.NoFileExists(t, removedFile(c.options[0].Dir))
			require.Fail(t, "the member has ended")
		case <-time.After(time.Millisecond):
		}
	}
	refuses.Store(false)
	ready(t, e)
	_, err := os.Stat(removedFile(c.options[0].Dir))
	require.ErrorIs(t, err, os.ErrNotExist)
}
