package etcd

import (
	"bytes"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/etcdserver/api/rafthttp"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// TestSender requires requests about the log to come from the member of the sending node.
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

// TestRefusedForAWhile has members refuse each other for a while, as a node does with an older certificate than it
// wants. None was removed: they continue.
func TestRefusedForAWhile(t *testing.T) {
	t.Parallel()
	var refuses atomic.Bool
	posts := make(messages, 100)
	c := openInProcess(t, 2, func(o *Options) {
		o.Log = slog.New(slog.NewTextHandler(posts, nil))
		sender := map[string]string{"node1": "node2", "node2": "node1"}[o.Name]
		o.TLS.Node = func(tls.ConnectionState, func(string) bool) (string, error) {
			if refuses.Load() {
				return "", errors.New("not yet")
			}
			return sender, nil
		}
	})
	c.Stop(0)
	refuses.Store(true)
	c.Start(0)
	for range 3 {
		select {
		case <-posts:
		case <-c.engine(0).Ended():
			t.Fatal("the member that starts has ended")
		case <-c.engine(1).Ended():
			t.Fatal("the other member has ended")
		}
	}
	refuses.Store(false)
	for i := range c.options {
		for errors.Is(c.engine(i).Ready(t.Context()), engine.ErrUnavailable) {
			for k, o := range c.options {
				require.NoFileExists(t, removedFile(o.Dir), "node%d", k+1)
			}
		}
		require.NoFileExists(t, removedFile(c.options[i].Dir))
	}
}

// messages gets a value for each message to a member that it has refused, as its log says.
type messages chan struct{}

func (m messages) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("has refused a request")) && bytes.Contains(line, []byte("path="+rafthttp.RaftPrefix+" ")) {
		select {
		case m <- struct{}{}:
		default:
		}
	}
	return len(line), nil
}
