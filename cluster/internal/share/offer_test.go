// This file tests which runs are offered, and which nodes take part in them.

package share_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/place"
	"github.com/ptc-lang/ptc/cluster/member"
)

// offers reports whether the run is offered.
func (w *world) offers() bool { return w.keys("share/offer/")[run] != "" }

// TestOffers requires a run to be offered while it has had free units for a time and its evaluations wait.
func TestOffers(t *testing.T) {
	cluster(t, 3, nil, func(w *world) {
		n := w.leader()
		time.Sleep(2 * time.Second)
		require.False(t, w.offers(), "it has no units")
		op := n.open("0.1")
		time.Sleep(90 * time.Millisecond)
		require.False(t, w.offers(), "they may be gone soon")
		time.Sleep(200 * time.Millisecond)
		require.True(t, w.offers())
		op.End(-1)
		time.Sleep(100 * time.Millisecond)
		require.False(t, w.offers(), "its units have ended")

		n.set(func() { n.waiting = 0.4 })
		op = n.open("0.2")
		time.Sleep(2 * time.Second)
		require.False(t, w.offers(), "its evaluations compute")
		n.set(func() { n.waiting = 1 })
		time.Sleep(time.Second)
		require.True(t, w.offers())
		n.leave()
		time.Sleep(100 * time.Millisecond)
		require.False(t, w.offers(), "nobody evaluates it")
		op.End(-1)
	})
}

// TestOfferOfDead requires the offer of a node to end with its session.
func TestOfferOfDead(t *testing.T) {
	cluster(t, 3, nil, func(w *world) {
		w.shares()
		require.True(t, w.offers())
		w.kill("node1")
		time.Sleep(5 * time.Second)
		require.False(t, w.offers())
	})
}

// TestOfferFails requires an offer to be withdrawn whose commits have failed, as soon as the engine can.
func TestOfferFails(t *testing.T) {
	cluster(t, 3, nil, func(w *world) {
		n := w.leader()
		lose := func(op engine.Op) bool { return !op.Delete && strings.HasPrefix(op.Key, "share/offer/") }
		refuse := func(op engine.Op) bool { return op.Delete && strings.HasPrefix(op.Key, "share/offer/") }
		n.engine.faults(lose, nil)
		op := n.open("0.1")
		time.Sleep(time.Second)
		require.True(t, w.offers())
		op.End(-1)
		time.Sleep(time.Second)
		require.False(t, w.offers(), "the node does not know that it was made")

		n.engine.faults(nil, refuse)
		n.open("0.2")
		time.Sleep(time.Second)
		n.leave()
		time.Sleep(time.Second)
		require.True(t, w.offers())
		n.engine.faults(nil, nil)
		time.Sleep(time.Second)
		require.False(t, w.offers(), "the run has ended here")
	})
}

// TestUnshared requires no operation to be shared if one node evaluates the run, or it calls nothing.
func TestUnshared(t *testing.T) {
	for name, set := range map[string]func(w *world){"one node": func(w *world) { w.most = 1 },
		"no calls": func(w *world) { w.calm = true }} {
		t.Run(name, func(t *testing.T) {
			cluster(t, 1, nil, func(w *world) {
				set(w)
				require.Nil(t, w.leader().open("0.1"))
			})
		})
	}
}

// TestJoins requires a node to take part in a run that is offered when nothing is in the way.
func TestJoins(t *testing.T) {
	type to = func(w *world, n *node)
	background, roomy := context.Background(), func(_ *world, n *node) { n.setRoom(room) }
	cases := map[string]struct{ forbid, allow to }{
		"room":   {func(_ *world, n *node) { n.setRoom(place.Room{Memory: 100}) }, roomy},
		"memory": {func(_ *world, n *node) { n.setRoom(place.Room{Runs: 1, Memory: 99}) }, roomy},
		"share of the tenant": {func(w *world, n *node) {
			r := room
			r.May = func(j place.Job, ofTenant, own place.Use) bool {
				return j.Run != run || ofTenant != place.Use{Running: 1, Memory: 100} || own != ofTenant
			}
			n.setRoom(r)
		}, roomy},
		"majority": {func(w *world, n *node) {
			w.net.Partition([]string{"node2"}, []string{"node1", "node3"}) // its session continues
			time.Sleep(6 * time.Second)
			require.NotNil(w.t, n.member.Now())
			n.setRoom(room)
		}, func(w *world, _ *node) { w.net.HealAll() }},
		"draining": {func(w *world, n *node) {
			require.NoError(w.t, n.member.Drain(background, "node2", true))
			n.setRoom(room)
		}, func(w *world, n *node) { require.NoError(w.t, n.member.Drain(background, "node2", false)) }},
		"a run that waits": {func(w *world, n *node) {
			require.NoError(w.t, n.queue.Add(background, place.Job{Run: "other", Memory: 1, Tools: []string{"tool"}}))
			n.setRoom(room)
		}, func(w *world, n *node) {
			removed, err := n.queue.Remove(background, "other")
			require.NoError(w.t, err)
			require.True(w.t, removed)
		}},
		"leaving": {func(_ *world, n *node) {
			n.queue.Leave()
			n.setRoom(room)
		}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			cluster(t, 3, map[string]member.Info{"node2": {Tools: []string{"tool"}}}, func(w *world) {
				w.shares()
				n := w.nodes["node2"]
				c.forbid(w, n)
				time.Sleep(3 * time.Second)
				require.Zero(t, n.follows())
				require.Empty(t, w.places())
				if c.allow == nil {
					return
				}
				c.allow(w, n)
				w.until(n.evaluates)
				require.Equal(t, map[string]string{"0": "node2"}, w.places())
				time.Sleep(10 * time.Second)
				require.Equal(t, 1, n.follows())
				require.Zero(t, w.nodes["node1"].follows())
				here, elsewhere := n.share.Parts(run)
				require.Equal(t, []bool{true, false}, []bool{here, elsewhere})
				here, elsewhere = w.nodes["node3"].share.Parts(run)
				require.Equal(t, []bool{false, true}, []bool{here, elsewhere})
			})
		})
	}
}

// TestFit requires only nodes of the release of the leader, with the tools of the run, to take part in it.
func TestFit(t *testing.T) {
	tool := member.Info{Tools: []string{"tool"}}
	later := tool
	later.Versions.PTC = "later"
	elsewhere := tool
	elsewhere.Reaches = map[string]string{"tool": "another host"}
	for name, other := range map[string]member.Info{"versions": later, "tools": {}, "what a tool reaches": elsewhere} {
		t.Run(name, func(t *testing.T) {
			cluster(t, 3, map[string]member.Info{"node1": tool, "node2": other, "node3": tool}, func(w *world) {
				j := job
				j.Tools = []string{"tool"}
				require.NoError(t, w.nodes["node1"].queue.Add(context.Background(), j))
				w.shares()
				w.nodes["node2"].setRoom(room)
				w.nodes["node3"].setRoom(room)
				w.until(w.nodes["node3"].evaluates)
				time.Sleep(3 * time.Second)
				require.Zero(t, w.nodes["node2"].follows())
			})
		})
	}
}

// TestFitOther requires two nodes that grant different things to share a run that can't call them.
func TestFitOther(t *testing.T) {
	infos := map[string]member.Info{"node1": {Tools: []string{"other", "tool"}, Reaches: map[string]string{"tool": "x", "other": "y"}},
		"node2": {Tools: []string{"other", "tool"}, Reaches: map[string]string{"tool": "x", "other": "z"}}}
	cluster(t, 3, infos, func(w *world) {
		j := job
		j.Tools = []string{"tool"}
		require.NoError(t, w.nodes["node1"].queue.Add(context.Background(), j))
		w.shares()
		w.nodes["node2"].setRoom(room)
		w.until(w.nodes["node2"].evaluates)
	})
}

// TestPlaces requires a run to have as many nodes as it may have.
func TestPlaces(t *testing.T) {
	for most, want := range map[int]int{0: 3, 2: 1, 3: 2, 4: 3} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			cluster(t, 4, nil, func(w *world) {
				w.most = most
				w.shares()
				for _, n := range w.nodes {
					n.setRoom(room)
				}
				time.Sleep(3 * time.Second)
				follow := 0
				for _, n := range w.nodes {
					follow += n.follows()
				}
				require.Equal(t, want, follow)
				require.Len(t, w.places(), want)
			})
		})
	}
}

// TestFollowerLeads checks that a follower that becomes the leader of a run keeps its place, in addition to
// the places of the others.
func TestFollowerLeads(t *testing.T) {
	cluster(t, 4, nil, func(w *world) {
		w.most = 2
		w.shares()
		n := w.nodes["node2"]
		n.setRoom(room)
		w.until(n.evaluates)
		n.set(func() { n.leads = true })
		w.kill("node1")
		w.until(w.offers)
		require.Equal(t, map[string]string{"0": "node2"}, w.places())
		w.nodes["node3"].setRoom(room)
		w.nodes["node4"].setRoom(room)
		time.Sleep(5 * time.Second)
		require.Equal(t, 1, w.nodes["node3"].follows()+w.nodes["node4"].follows())
		require.Len(t, w.places(), 2)
		require.Equal(t, "node2", w.places()["0"])
	})
}

// TestLaterReleaseLeads makes a run continue on a node of another release when its leader dies, as in an upgrade. Then
// only nodes of that release take part.
func TestLaterReleaseLeads(t *testing.T) {
	later := member.Info{Versions: member.Versions{PTC: "later"}}
	cluster(t, 4, map[string]member.Info{"node2": later, "node3": later}, func(w *world) {
		w.shares()
		n := w.nodes["node2"]
		n.set(func() { n.leads = true })
		w.kill("node1")
		w.until(n.evaluates)
		n.open("0.2")
		w.until(w.offers)
		w.nodes["node3"].setRoom(room)
		w.nodes["node4"].setRoom(room)
		w.until(w.nodes["node3"].evaluates)
		time.Sleep(5 * time.Second)
		require.Zero(t, w.nodes["node4"].follows())
	})
}
