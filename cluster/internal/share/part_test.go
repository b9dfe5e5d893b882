// This file tests how nodes stop taking part in a run, and how the others react.

package share_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/place"
	"github.com/ptc-lang/ptc/cluster/internal/runlog"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/serve"
)

// joined has node1 share the run, and node2 follow it, and returns node2.
func (w *world) joined() *node {
	w.t.Helper()
	w.shares()
	n := w.nodes["node2"]
	n.setRoom(room)
	w.until(n.evaluates)
	return n
}

// ofPlace returns whether an operation is one of a place in the run.
func ofPlace(deleted bool) func(op engine.Op) bool {
	return func(op engine.Op) bool { return op.Delete == deleted && strings.HasPrefix(op.Key, "share/place/") }
}

// TestRefuses requires a node that can't follow a run to give its place back, and to try again after a time.
func TestRefuses(t *testing.T) {
	cluster(t, 3, nil, func(w *world) {
		w.most = 2
		w.shares()
		n := w.nodes["node2"]
		n.set(func() { n.refuses = true })
		n.setRoom(room)
		w.until(func() bool { return n.follows() == 1 })
		time.Sleep(500 * time.Millisecond)
		require.Empty(t, w.places())
		require.Equal(t, 1, n.follows(), "it was tried again at once")
		n.set(func() { n.refuses = false })
		w.until(n.evaluates)
		require.Equal(t, map[string]string{"0": "node2"}, w.places())
	})
}

// TestRejoins requires a node whose part has ended to give its place back, and to take part again after a time.
func TestRejoins(t *testing.T) {
	cluster(t, 3, nil, func(w *world) {
		n := w.joined()
		n.leave()
		time.Sleep(100 * time.Millisecond)
		require.False(t, n.evaluates())
		require.Empty(t, w.places())
		here, elsewhere := n.share.Parts(run)
		require.False(t, here || elsewhere)
		time.Sleep(850 * time.Millisecond)
		require.Equal(t, 1, n.follows())
		time.Sleep(1500 * time.Millisecond)
		require.Equal(t, 2, n.follows())
		require.True(t, n.evaluates())
		require.Len(t, w.places(), 1)
	})
}

// TestUnknown requires a node that does not know whether it has a place to give it back.
func TestUnknown(t *testing.T) {
	cluster(t, 3, nil, func(w *world) {
		w.most = 2
		w.shares()
		n := w.nodes["node2"]
		put := ofPlace(false)
		var lost atomic.Int32
		n.engine.faults(func(op engine.Op) bool {
			if put(op) {
				lost.Add(1)
			}
			return put(op)
		}, nil)
		n.setRoom(room)
		time.Sleep(5 * time.Second)
		n.setRoom(place.Room{})
		require.Greater(t, lost.Load(), int32(1))
		require.Less(t, lost.Load(), int32(6), "it was tried again at once")
		require.Empty(t, w.places())
		require.Zero(t, n.follows())
		n.engine.faults(nil, nil)
		n.setRoom(room)
		w.until(n.evaluates)
		require.Len(t, w.places(), 1)
	})
}

// TestUnknownBeside checks that a node returns a place that it does not know while it has another one.
func TestUnknownBeside(t *testing.T) {
	cluster(t, 3, nil, func(w *world) {
		w.shares()
		n := w.nodes["node2"]
		n.engine.faults(ofPlace(false), ofPlace(true))
		n.setRoom(room)
		w.until(func() bool { return len(w.places()) == 1 })
		n.engine.faults(nil, ofPlace(true))
		w.until(n.evaluates)
		require.Len(t, w.places(), 2)
		n.engine.faults(nil, nil)
		time.Sleep(time.Second)
		require.Equal(t, map[string]string{"1": "node2"}, w.places())
		require.True(t, n.evaluates())
	})
}

// TestLeftover requires a place that could not be given back to be given back later, although the session of the node
// continues: it would keep all nodes from the run when its leader dies.
func TestLeftover(t *testing.T) {
	cluster(t, 3, nil, func(w *world) {
		n := w.joined()
		n.setRoom(place.Room{})
		n.engine.faults(nil, ofPlace(true))
		n.leave()
		time.Sleep(3 * time.Second)
		require.Len(t, w.places(), 1)
		_, elsewhere := w.nodes["node3"].share.Parts(run)
		require.True(t, elsewhere)
		n.engine.faults(nil, nil)
		time.Sleep(time.Second)
		require.Empty(t, w.places())
		_, elsewhere = w.nodes["node3"].share.Parts(run)
		require.False(t, elsewhere)
	})
}

// TestLeavesSilently checks that the leader declares an incarnation dead that left without a record: people
// are not asked about pending effects while other nodes take part.
func TestLeavesSilently(t *testing.T) {
	cluster(t, 3, nil, func(w *world) {
		n := w.joined()
		n.setRoom(place.Room{})
		n.engine.faults(nil, func(op engine.Op) bool { return strings.HasPrefix(op.Key, runlog.Prefix(run)) })
		n.leave()
		time.Sleep(30 * time.Second)
		require.False(t, n.evaluates())
		require.NotNil(t, n.member.Now(), "its session goes on")
		living, dying := w.incarnations()
		require.Equal(t, []string{"node1"}, living)
		require.Equal(t, []string{"node2"}, dying)
		n.engine.faults(nil, nil)
		n.setRoom(room)
		w.until(n.evaluates)
		time.Sleep(20 * time.Second)
		living, _ = w.incarnations()
		require.Equal(t, []string{"node1", "node2"}, living, "it has a place")
	})
}

// TestIdle requires a node to leave a run in which there is nothing to do, unless nobody leads it.
func TestIdle(t *testing.T) {
	cluster(t, 3, nil, func(w *world) {
		leader := w.leader()
		op := leader.open("0.1")
		n := w.nodes["node2"]
		n.setRoom(room)
		w.until(n.evaluates)
		time.Sleep(10 * time.Second)
		require.True(t, n.evaluates(), "there are free units")
		op.End(-1)
		time.Sleep(4 * time.Second)
		require.True(t, n.evaluates())
		op = leader.open("0.2")
		time.Sleep(100 * time.Millisecond)
		op.End(-1)
		time.Sleep(4 * time.Second)
		require.True(t, n.evaluates(), "there was something to do meanwhile")
		time.Sleep(2 * time.Second)
		require.False(t, n.evaluates())
		require.True(t, leader.evaluates())

		op = leader.open("0.3")
		w.until(n.evaluates)
		op.End(-1)
		w.kill("node1")
		time.Sleep(20 * time.Second)
		require.True(t, n.evaluates(), "it is the one that leads next")
	})
}

// TestParked checks that a node leaves a run that its leader parks: when the run continues, its leader
// knows the settlements made in the meantime. A node that becomes the leader at the same moment continues.
func TestParked(t *testing.T) {
	for name, leads := range map[string]bool{"follows": false, "leads": true} {
		t.Run(name, func(t *testing.T) {
			cluster(t, 3, nil, func(w *world) {
				n := w.joined()
				n.setRoom(place.Room{})
				n.mu.Lock()
				p := n.part
				p.leads = leads // it can't leave
				before := p.journal
				n.mu.Unlock()
				failure, err := json.Marshal(&diag.Error{Code: diag.InDoubt, Message: "a write is in doubt"})
				require.NoError(t, err)
				require.NoError(t, w.nodes["node1"].part.journal.Replicas().Halt(failure))
				w.nodes["node1"].leave()
				time.Sleep(time.Second)
				if !leads {
					require.False(t, n.evaluates())
					require.True(t, p.left)
					return
				}
				p.replica.Lead()
				w.until(func() bool { n.mu.Lock(); defer n.mu.Unlock(); return p.journal != before })
				require.True(t, n.evaluates())
				require.False(t, p.journal.Replicas().Follows("0"))
			})
		})
	}
}

// TestRoomNeeded requires a node to leave a run when one that waits for it needs the room.
func TestRoomNeeded(t *testing.T) {
	for name, left := range map[string]place.Room{"runs": {Memory: 10}, "memory": {Runs: 1, Memory: 9}} {
		t.Run(name, func(t *testing.T) {
			cluster(t, 3, map[string]member.Info{"node2": {Tools: []string{"tool"}}}, func(w *world) {
				n := w.joined()
				other := place.Job{Run: "other", Memory: 10, Tools: []string{"tool"}}
				require.NoError(t, n.queue.Add(context.Background(), other))
				n.setRoom(place.Room{Runs: 1, Memory: 10})
				time.Sleep(2 * time.Second)
				require.True(t, n.evaluates(), "there is room for both")
				n.setRoom(left)
				time.Sleep(100 * time.Millisecond)
				require.False(t, n.evaluates())
				require.True(t, w.nodes["node1"].evaluates())
			})
		})
	}
}

// TestDeaths requires the leader to declare a node dead when its session has ended, and gone when it is
// back with another process.
func TestDeaths(t *testing.T) {
	cluster(t, 3, nil, func(w *world) {
		n := w.joined()
		time.Sleep(10 * time.Second)
		living, dying := w.incarnations()
		require.Equal(t, []string{"node1", "node2"}, living)
		require.Empty(t, dying)
		w.cut("node2")
		n.setRoom(place.Room{})
		time.Sleep(10 * time.Second)
		living, dying = w.incarnations()
		require.Equal(t, []string{"node1"}, living)
		require.Equal(t, []string{"node2"}, dying)
		w.heal()
		time.Sleep(10 * time.Second)
		_, dying = w.incarnations()
		require.Equal(t, []string{"node2"}, dying, "it is the same process")
		w.kill("node2")
		time.Sleep(10 * time.Second)
		_, dying = w.incarnations()
		require.Equal(t, []string{"node2"}, dying, "it may be cut off")
		w.restart("node2")
		time.Sleep(3 * time.Second)
		living, dying = w.incarnations()
		require.Equal(t, []string{"node1"}, living)
		require.Empty(t, dying)
	})
}

// TestCutOff requires a node that is cut off to take part in nothing, and its part to end with its session.
func TestCutOff(t *testing.T) {
	cluster(t, 3, nil, func(w *world) {
		n := w.joined()
		w.cut("node2")
		time.Sleep(20 * time.Second)
		require.Nil(t, n.member.Now())
		require.False(t, n.evaluates())
		require.Equal(t, 1, n.follows())
		require.Empty(t, w.places())
		require.ErrorContains(t, n.share.Replica(serve.Evaluation{Run: run}).Run(context.Background(), nil),
			"this node is not a member of the cluster at the moment")
		w.heal()
		w.until(n.evaluates)
		require.Equal(t, 2, n.follows())
	})
}
