package etcd

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/storage/schema"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// TestAlarm changes the data of a member behind the back of etcd. All writes stop, and continue when the member
// is replaced. The damaged member is once the leader, whose data the alarm takes for the right one.
func TestAlarm(t *testing.T) {
	t.Parallel()
	for name, leads := range map[string]bool{"a follower": false, "the leader": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openInProcess(t, 3, func(o *Options) { o.compare = 200 * time.Millisecond })
			put(t, c.engine(0), "k", "v")
			bad := 0
			require.Eventually(t, func() bool {
				status, err := c.engine(0).Status(t.Context())
				require.NoError(t, err)
				for i := range 3 {
					if nodeName(i) == status.Leader {
						if bad = i; !leads {
							bad = (i + 1) % 3
						}
						return true
					}
				}
				return false
			}, time.Minute, 10*time.Millisecond)
			good := c.engine((bad + 1) % 3)
			compared := func() (damaged []string) {
				t.Helper()
				require.Eventually(t, func() bool { // one may be behind
					var err error
					damaged, err = good.Admin().Damaged(t.Context())
					return err == nil
				}, time.Minute, 10*time.Millisecond)
				return damaged
			}
			require.Empty(t, compared())

			tx := c.engine(bad).server.Server.Backend().BatchTx()
			tx.Lock()
			tx.UnsafePut(schema.Key, []byte("\x00\x00\x00\x00\x00\x00\x00\x02_\x00\x00\x00\x00\x00\x00\x00\x63"), []byte("?"))
			tx.Unlock()
			require.Eventually(t, func() bool {
				status, err := good.Status(t.Context())
				require.NoError(t, err)
				return len(status.Alarms) > 0
			}, time.Minute, 10*time.Millisecond)
			_, err := engine.Repeat(t.Context(), good, time.Minute, nil, engine.Put("k", nil))
			require.ErrorIs(t, err, engine.ErrCorrupt)
			page, err := good.List(t.Context(), engine.Query{Stale: true})
			require.NoError(t, err)
			require.NotEmpty(t, page.Entries)

			require.Equal(t, []string{nodeName(bad)}, compared())
			healthy := (bad + 2) % 3
			require.Eventually(t, func() bool {
				_, err = good.Admin().Replace(t.Context(), nodeName(healthy), c.peers[healthy])
				return !errors.Is(err, ErrUndecided)
			}, time.Minute, 10*time.Millisecond)
			require.ErrorIs(t, err, ErrRisky, "that is not the damaged one")
			require.ErrorContains(t, err, nodeName(bad)+" differs")

			c.Stop(bad)
			var members map[string]string
			require.Eventually(t, func() bool { // it waits for the election of a leader
				members, err = good.Admin().Replace(t.Context(), nodeName(bad), c.peers[bad])
				return !errors.Is(err, ErrUndecided)
			}, 5*time.Minute, 10*time.Millisecond)
			require.NoError(t, err)
			c.options[bad].Dir, c.options[bad].Start, c.options[bad].Members = t.TempDir()+"/new", Join, members
			c.Start(bad)
			require.NoError(t, good.Admin().Promote(t.Context(), nodeName(bad)))
			put(t, c.engine(bad), "k", "v2")
			require.Empty(t, compared())
		})
	}
}

func TestMinority(t *testing.T) {
	a, b, c := sum{1, 10}, sum{1, 20}, sum{2, 30}
	for _, test := range []struct {
		sums   map[string]sum
		voters string
		want   []string
		ok     bool
	}{
		{map[string]sum{"x": a, "y": a, "z": a}, "xyz", nil, true},
		{map[string]sum{"x": a, "y": b, "z": a}, "xyz", []string{"y"}, true},
		{map[string]sum{"x": a, "y": c, "z": a}, "xyz", nil, true}, // not comparable
		{map[string]sum{"x": a, "y": b}, "xyz", nil, false},
		{map[string]sum{"x": a, "z": a}, "xyz", nil, true},
		{map[string]sum{"x": a, "y": b, "z": a, "w": b}, "wxyz", nil, false},
		{map[string]sum{"x": a, "y": b, "z": a, "w": b}, "xyz", []string{"w", "y"}, true}, // w is a copy
		{map[string]sum{"x": a, "y": a, "v": b, "w": b, "z": b}, "xyq", []string{"v", "w", "z"}, true},
		{nil, "xyz", nil, false},
	} {
		got, ok := minority(test.sums, strings.Split(test.voters, ""))
		require.Equal(t, test.want, got, "%v", test.sums)
		require.Equal(t, test.ok, ok, "%v", test.sums)
	}
}

func TestMetrics(t *testing.T) {
	c, _ := alone(t)
	put(t, c.engine(0), "k", "v")
	families, err := Metrics().Gather()
	require.NoError(t, err)
	names := map[string]bool{}
	for _, f := range families {
		names[f.GetName()] = true
		require.Regexp(t, "^etcd_", f.GetName())
	}
	require.True(t, names["etcd_server_has_leader"] && names["etcd_disk_wal_fsync_duration_seconds"], "%v", names)
}
