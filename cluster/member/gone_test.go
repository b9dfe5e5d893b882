package member_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/member"
)

// untilDead returns the time from a fault until node2 knows that node1 is dead.
func (w *world) untilDead(fault func()) time.Duration {
	w.t.Helper()
	begin := time.Now()
	fault()
	for w.states("node2")["node1"] != member.Dead {
		time.Sleep(10 * time.Millisecond)
		require.Less(w.t, time.Since(begin), time.Minute)
	}
	return time.Since(begin)
}

// TestProcessEnds kills a process: the others end its session immediately, and not with its lease.
func TestProcessEnds(t *testing.T) {
	run(t, 3, func(w *world) {
		require.Less(w.t, w.untilDead(func() {
			w.eng.Crash("node1")
			w.nodes["node1"].link.Close()
		}), member.DefaultLease/2)
	})
}

// TestCutOff requires a node that is only cut off to keep its session until its lease ends.
func TestCutOff(t *testing.T) {
	run(t, 3, func(w *world) {
		cut := func() { w.split([]string{"node1"}, []string{"node2", "node3"}) }
		require.Greater(w.t, w.untilDead(cut), member.DefaultLease/2)
		w.heal()
	})
}
