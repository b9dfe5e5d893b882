package etcd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/internal/testlog"
)

// alone starts a cluster of one member, and returns it with its options.
func alone(t *testing.T) (*inProcess, Options) {
	c := openInProcess(t, 1, func(*Options) {})
	return c, c.options[0]
}

func put(t testing.TB, e engine.Engine, key, value string) engine.Revision {
	t.Helper()
	r, err := engine.Repeat(t.Context(), e, time.Minute, nil, engine.Put(key, []byte(value)))
	require.NoError(t, err)
	require.True(t, r.Done)
	return r.Revision
}

func TestModes(t *testing.T) {
	t.Parallel()
	c, o := alone(t)
	put(t, c.engine(0), "k", "v")
	require.NoError(t, filepath.WalkDir(o.Dir, func(path string, d os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, "%s has mode %v", path, info.Mode())
		return nil
	}))
	_, err := Open(t.Context(), o)
	require.ErrorContains(t, err, "in use by another process")
	c.Stop(0)
	require.NoError(t, os.Chmod(o.Dir, 0o750))
	_, err = Open(t.Context(), o)
	require.ErrorContains(t, err, "mode 0750")
}

func TestOptions(t *testing.T) {
	good := Options{Name: "node1", Cluster: "test", Dir: filepath.Join(t.TempDir(), "d"), Start: New, Listen: "127.0.0.1:1",
		Members: map[string]string{"node1": "127.0.0.1:1"}}
	for want, change := range map[string]func(*Options){
		"want all three":          func(o *Options) { o.Name = "" },
		"is not host:port":        func(o *Options) { o.Listen = "127.0.0.1" },
		"no certificate":          func(o *Options) { o.Peer = "192.0.2.1:2380" },
		"among the members":       func(o *Options) { o.Members = map[string]string{"node1": "127.0.0.1:2"} },
		"no such file":            func(o *Options) { o.TLS = &TLS{Cert: "none", Key: "none", CA: "none"} },
		"has mode":                func(o *Options) { o.Dir = os.TempDir() },
		"the files of the member": func(o *Options) { o.Start = Restart },
	} {
		o := good
		change(&o)
		_, err := Open(t.Context(), o)
		require.ErrorContains(t, err, want)
	}
}

// TestAnotherMember starts a member on the directory of another one.
func TestAnotherMember(t *testing.T) {
	t.Parallel()
	c, o := alone(t)
	c.Stop(0)
	for want, change := range map[string]func(*Options){
		"is that of member node1 of cluster test, want member node9": func(o *Options) {
			o.Name, o.Start = "node9", Restart
		},
		"want member node1 of cluster prod": func(o *Options) { o.Cluster = "prod" },
	} {
		other := o
		change(&other)
		_, err := Open(t.Context(), other)
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, os.WriteFile(memberFile(o.Dir), []byte("{"), 0o600))
	_, err := Open(t.Context(), o)
	require.ErrorIs(t, err, engine.ErrCorrupt)
}

// TestLost removes one of the two parts of the data.
func TestLost(t *testing.T) {
	for part, want := range map[string]string{"wal": "has no log", "snap": "has no database"} {
		t.Run(part, func(t *testing.T) {
			c, o := alone(t)
			put(t, c.engine(0), "k", "v")
			c.Stop(0)
			require.NoError(t, os.RemoveAll(filepath.Join(dataDir(o.Dir), "member", part)))
			_, err := Open(t.Context(), o)
			require.ErrorIs(t, err, engine.ErrCorrupt)
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, "replace this one")
		})
	}
}

// TestSlowRuns asks whether members may change while one takes longer to answer than its status waits.
func TestSlowRuns(t *testing.T) {
	t.Parallel()
	c := openInProcess(t, 3, func(o *Options) {})
	put(t, c.engine(0), "k", "v")
	c.Slow(1, probe)
	defer c.Heal()
	require.Eventually(t, func() bool {
		status, err := c.engine(0).Status(t.Context())
		require.NoError(t, err)
		return !status.Members[1].Healthy
	}, time.Minute, 50*time.Millisecond)
	others, err := c.engine(0).Admin().sound(t.Context(), "node3", "replacing node3")
	require.NoError(t, err)
	require.Contains(t, others, "node2")
}

// TestReplace replaces a wiped member, and refuses to while another one does not run.
func TestReplace(t *testing.T) {
	t.Parallel()
	c := openInProcess(t, 3, func(o *Options) {})
	admin := c.engine(0).Admin()
	before := put(t, c.engine(0), "k", "v")
	o := c.options[2]
	c.Stop(2)
	require.NoError(t, os.RemoveAll(o.Dir))
	c.Stop(1)
	_, err := admin.Replace(t.Context(), "node3", o.Peer)
	require.ErrorIs(t, err, ErrRisky)
	require.ErrorContains(t, err, `member "node2"`)
	require.ErrorIs(t, admin.Remove(t.Context(), "node3"), ErrRisky)
	_, err = admin.AddLearner(t.Context(), "node4", "127.0.0.1:1")
	require.ErrorIs(t, err, ErrRisky)
	c.Start(1)
	ready(t, c.engine(1))

	require.Eventually(t, func() bool { // node2 is seen as healthy after a moment
		_, err = admin.Replace(t.Context(), "node3", c.peers[0])
		return !errors.Is(err, ErrRisky)
	}, time.Minute, 50*time.Millisecond)
	require.ErrorContains(t, err, "member node1 has its address")
	var members map[string]string
	require.Eventually(t, func() bool {
		members, err = admin.Replace(t.Context(), "node3", o.Peer)
		return err == nil
	}, 5*time.Minute, 50*time.Millisecond)
	require.Equal(t, o.Members, members)
	_, err = admin.Replace(t.Context(), "node2", c.peers[1])
	require.ErrorIs(t, err, ErrRisky, "while the new one copies the data")

	c.options[2].Start, c.options[2].Members = Join, members
	c.Start(2)
	require.NoError(t, admin.Promote(t.Context(), "node3"))
	ready(t, c.engine(2))
	entry, ok, err := c.engine(2).Get(t.Context(), "k")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, before, entry.Modified)
	put(t, c.engine(2), "k", "v2")
	c.Stop(2)
	c.Start(2) // Join is ignored by now
	put(t, c.engine(2), "k", "v3")
}

// TestMembers adds a member, makes it the leader, and removes it.
func TestMembers(t *testing.T) {
	t.Parallel()
	n := newNetwork(t, 2)
	dir := t.TempDir()
	o := n.options(0, filepath.Join(dir, "node1"))
	o.Members = map[string]string{"node1": n.peers[0]}
	first, err := Open(t.Context(), o)
	require.NoError(t, err)
	defer first.Close()
	ready(t, first)
	put(t, first, "k", "v")
	admin := first.Admin()
	_, err = admin.AddLearner(t.Context(), "node1", n.peers[1])
	require.ErrorContains(t, err, "replace it")
	members, err := admin.AddLearner(t.Context(), "node2", n.peers[1])
	require.NoError(t, err)
	require.Equal(t, map[string]string{"node1": n.peers[0], "node2": n.peers[1]}, members)

	o = n.options(1, filepath.Join(dir, "node2"))
	o.Start, o.Members = Join, members
	second, err := Open(t.Context(), o)
	require.NoError(t, err)
	defer second.Close()
	require.Eventually(t, func() bool {
		status, err := first.Status(t.Context())
		return err == nil && len(status.Members) == 2 && status.Members[1].Learner && status.Members[1].Healthy
	}, time.Minute, 50*time.Millisecond)
	require.NoError(t, admin.Promote(t.Context(), "node2"))
	require.NoError(t, admin.Promote(t.Context(), "node2"), "again")
	ready(t, second)

	require.ErrorIs(t, admin.MoveLeader(t.Context(), "node9"), ErrNoMember)
	move := func(from *Engine, to string) {
		require.Eventually(t, func() bool { // an election may make the other one the leader, or the first one again
			_ = from.Admin().MoveLeader(t.Context(), to)
			status, err := first.Status(t.Context())
			return err == nil && status.Leader == to
		}, time.Minute, 50*time.Millisecond)
	}
	require.Eventually(t, func() bool {
		move(first, "node2")
		err = admin.MoveLeader(t.Context(), "node1")
		return errors.Is(err, ErrNotLeader)
	}, time.Minute, 10*time.Millisecond)
	require.ErrorContains(t, err, "node2")
	move(second, "node1")

	require.NoError(t, admin.Remove(t.Context(), "node2"))
	<-second.Ended()
	_, _, err = second.Get(t.Context(), "k")
	require.ErrorIs(t, err, engine.ErrClosed)
	require.ErrorContains(t, err, "removed")
	put(t, first, "k", "v2")
	require.NoError(t, second.Close())
	o.Start = Restart
	_, err = Open(t.Context(), o)
	require.ErrorContains(t, err, "was removed from the cluster")
}

// TestRemovedWhileStopped removes a member that does not run: its data will never say so, and the others do.
func TestRemovedWhileStopped(t *testing.T) {
	t.Parallel()
	c := openInProcess(t, 3, func(o *Options) {})
	c.Stop(2)
	require.NoError(t, c.engine(0).Admin().Remove(t.Context(), "node3"))
	c.Start(2)
	<-c.engine(2).Ended()
	c.Stop(2)
	_, err := Open(t.Context(), c.options[2])
	require.ErrorContains(t, err, "was removed from the cluster")
}

// TestRemoveWaits removes a member while the links are so slow that no call is answered in time, until they are not.
func TestRemoveWaits(t *testing.T) {
	t.Parallel()
	c := openInProcess(t, 3, func(o *Options) { o.Timeout = time.Second / 2 })
	e := c.engine(0)
	for i := range 3 {
		c.Slow(i, Election+Heartbeat)
	}
	unavailable := func() bool {
		_, err := e.Apply(t.Context(), nil, engine.Put("k", nil))
		return errors.Is(err, engine.ErrUnavailable)
	}
	require.Eventually(t, unavailable, time.Minute, time.Millisecond)
	removed := make(chan error, 1)
	go func() { removed <- e.Admin().Remove(t.Context(), "node3") }()
	for range 4 {
		unavailable()
	}
	c.Heal()
	require.NoError(t, <-removed)
	require.Eventually(t, func() bool {
		status, err := e.Status(t.Context())
		return err == nil && len(status.Members) == 2
	}, time.Minute, time.Millisecond)
}

// TestFull fills a database, and makes room again.
func TestFull(t *testing.T) {
	t.Parallel()
	c := openInProcess(t, 1, func(o *Options) { o.Quota = 4 << 20 })
	e := c.engine(0)
	var err error
	for err == nil {
		_, err = engine.Repeat(t.Context(), e, time.Minute, nil, engine.Put("k", make([]byte, 512<<10)))
	}
	require.ErrorIs(t, err, engine.ErrFull)
	status, err := e.Status(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"full on node1"}, status.Alarms)
	r, err := engine.Repeat(t.Context(), e, time.Minute, nil, engine.Delete("k"))
	require.NoError(t, err)
	require.NoError(t, e.Compact(t.Context(), r.Revision))
	require.Eventually(t, func() bool { // the compaction continues after the call
		require.NoError(t, e.Admin().Defragment(t.Context()))
		after, err := e.Status(t.Context())
		require.NoError(t, err)
		return after.Bytes < status.Bytes/2
	}, time.Minute, 50*time.Millisecond)
	require.NoError(t, e.Admin().Disarm(t.Context()))
	put(t, e, "k", "v")
	status, err = e.Status(t.Context())
	require.NoError(t, err)
	require.Empty(t, status.Alarms)
}

// TestRogue has members connect that the cluster does not trust.
func TestRogue(t *testing.T) {
	t.Parallel()
	c := openInProcess(t, 2, func(o *Options) { o.Timeout = time.Second })
	first := c.engine(0)
	c.Stop(1)
	o := c.options[1]
	rogue := *o.TLS
	rogue.Cert, rogue.Key = filepath.Join(c.dir, "rogue-node2.pem"), filepath.Join(c.dir, "rogue-node2-key.pem")
	o.TLS = &rogue
	second, err := Open(t.Context(), o)
	require.NoError(t, err)
	_, err = second.Apply(t.Context(), nil, engine.Put("k", nil))
	require.ErrorIs(t, err, engine.ErrUnavailable, "a certificate of another authority")
	require.NoError(t, second.Close())

	named := *c.options[1].TLS
	named.Hosts = []string{host(1)} // and not node1
	o.TLS = &named
	second, err = Open(t.Context(), o)
	require.NoError(t, err)
	_, err = second.Apply(t.Context(), nil, engine.Put("k", nil))
	require.ErrorIs(t, err, engine.ErrUnavailable, "a name that is not allowed")
	require.NoError(t, second.Close())

	plain, err := net.Dial("tcp", c.listens[0])
	require.NoError(t, err)
	defer plain.Close()
	_, err = plain.Write([]byte("GET /members HTTP/1.1\r\nHost: node1\r\n\r\n"))
	require.NoError(t, err)
	answer := make([]byte, 1000)
	n, _ := plain.Read(answer)
	require.NotContains(t, string(answer[:n]), "200 OK")

	c.Start(1)
	put(t, first, "k", "v")
}

// TestCertificates replaces the certificate of a member while it runs: new connections have the new one.
func TestCertificates(t *testing.T) {
	t.Parallel()
	c := openInProcess(t, 1, func(*Options) {})
	own := c.options[0].TLS
	served := func() []byte {
		pair, err := tls.LoadX509KeyPair(own.Cert, own.Key)
		require.NoError(t, err)
		roots := x509.NewCertPool()
		text, err := os.ReadFile(own.CA)
		require.NoError(t, err)
		require.True(t, roots.AppendCertsFromPEM(text))
		conn, err := tls.Dial("tcp", c.listens[0], &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: roots,
			ServerName: link(0)})
		require.NoError(t, err)
		defer conn.Close()
		require.EqualValues(t, tls.VersionTLS13, conn.ConnectionState().Version)
		return conn.ConnectionState().PeerCertificates[0].Raw
	}
	before := served()
	c.authority.issue(t, c.dir, "ca", 0, 1)
	after := served()
	require.NotEqual(t, before, after)
	put(t, c.engine(0), "k", "v")
}

// TestLog requires the messages of etcd in the log of the node, at its levels.
func TestLog(t *testing.T) {
	t.Parallel()
	var debug, warnings testlog.Buffer
	c := openInProcess(t, 1, func(o *Options) {
		o.Log = slog.New(slog.NewTextHandler(&debug, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	require.Contains(t, debug.String(), `level=DEBUG msg="starting an etcd server" part=engine`)
	require.Contains(t, debug.String(), "heartbeat-interval=50ms")
	log := logger(slog.New(slog.NewTextHandler(&warnings, nil)))
	log.Info("unseen")
	log.Debug("unseen")
	log.Named("x").Warn("seen")
	require.Equal(t, 1, strings.Count(warnings.String(), "\n"), warnings.String())
	require.PanicsWithValue(t, "the disk is gone", func() { log.Fatal("the disk is gone") })
	require.Contains(t, warnings.String(), `level=ERROR msg="the disk is gone" part=engine advice="the engine can't continue`)
	c.Stop(0)
}

// TestCloseWhileCalled closes a member while calls are under way.
func TestCloseWhileCalled(t *testing.T) {
	t.Parallel()
	c, _ := alone(t)
	e := c.engine(0)
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			for {
				_, err := e.List(context.Background(), engine.Query{Stale: true})
				if err == nil {
					_, err = e.Apply(context.Background(), nil, engine.Put("k", nil))
				}
				if err == nil {
					_, err = e.Status(context.Background())
				}
				if err != nil {
					require.ErrorIs(t, err, engine.ErrClosed)
					return
				}
			}
		})
	}
	put(t, e, "k2", "")
	require.NoError(t, e.Close())
	calls.Wait()
}
