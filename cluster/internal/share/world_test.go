// This file defines the clusters of the tests: nodes in one process, whose runs evaluate nothing.

package share_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	"github.com/ptc-lang/ptc/cluster/internal/place"
	"github.com/ptc-lang/ptc/cluster/internal/runlog"
	"github.com/ptc-lang/ptc/cluster/internal/share"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/runtime/dist"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/serve"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run is the run of the tests.
const run = "run1"

// world is a cluster of node1, node2 and so on. Only node1 leads runs, and no node has room to follow one.
type world struct {
	t     *testing.T
	names []string
	eng   *memory.Cluster
	net   *peer.Memory
	nodes map[string]*node
	most  int // nodes of the run
	calm  bool
}

// node is a node with its parts. Its methods implement Host.
type node struct {
	w      *world
	engine *faulty
	link   *peer.MemoryNode
	member *member.Cluster
	queue  *place.Queue
	share  *share.Share
	ctx    context.Context
	crash  context.CancelFunc
	wg     sync.WaitGroup

	mu       sync.Mutex
	leads    bool // it takes runs
	room     place.Room
	refuses  bool
	waiting  float64
	followed int // calls of Follow
	part     *part
	ended    error // of the last part
}

// part is the part of a node in the run.
type part struct {
	replica serve.Replica
	left    bool // it was told to leave
	cancel  context.CancelFunc
	leads   bool
	journal *journal.Journal
}

// room is that of a node with room for a run of 100 bytes.
var room = place.Room{Runs: 1, Memory: 100, Most: 100}

// job is the run of the tests for a queue.
var job = place.Job{Run: run, Tenant: "t", By: "ann", Memory: 100}

// cluster runs a test with nodes of the given infos, and those of n that have none.
func cluster(t *testing.T, n int, infos map[string]member.Info, test func(w *world)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, net: peer.NewMemory(1), nodes: make(map[string]*node),
			names: []string{"node1", "node2", "node3", "node4"}[:n]}
		w.eng = memory.New(memory.Options{}, w.names...)
		for _, name := range w.names {
			info := infos[name]
			info.Name, info.Process = name, "first"
			w.start(info)
		}
		defer func() {
			for name := range w.nodes {
				w.stop(name)
			}
			for _, name := range w.names {
				w.eng.Crash(name)
			}
		}()
		time.Sleep(3 * time.Second)
		test(w)
	})
}

// start starts a node on its member of the engine.
func (w *world) start(info member.Info) *node {
	w.t.Helper()
	n := &node{w: w, engine: &faulty{Engine: w.eng.Member(info.Name)}, link: w.net.Join(info.Name), waiting: 1,
		leads: info.Name == "node1"}
	n.ctx, n.crash = context.WithCancel(context.Background())
	var err error
	n.member, err = member.Start(member.Options{Engine: n.engine, Network: n.link, Self: info})
	require.NoError(w.t, err)
	n.queue, err = place.New(place.Options{Engine: n.engine, Members: n.member, Worker: worker{n}, Parts: n.parts})
	require.NoError(w.t, err)
	s := share.New(share.Options{Engine: n.engine, Members: n.member, Queue: n.queue, Host: n, Logs: logs{n.engine},
		Key: make(journal.Key, 32), From: 2, Unit: 1, Waiting: 0.5})
	n.set(func() { n.share = s })
	w.nodes[info.Name] = n
	return n
}

// stop ends a node.
func (w *world) stop(name string) {
	n := w.nodes[name]
	delete(w.nodes, name)
	n.set(n.crash)
	n.wg.Wait()
	n.share.Close()
	n.queue.Close()
	n.member.Close()
	n.link.Close()
}

// kill ends a node as kill -9 does.
func (w *world) kill(name string) {
	w.eng.Crash(name)
	w.stop(name)
}

// restart starts a node that was killed as another process.
func (w *world) restart(name string) *node {
	w.eng.Start(name)
	return w.start(member.Info{Name: name, Process: "second"})
}

// cut cuts a node off from the others.
func (w *world) cut(name string) {
	w.eng.Cut(name)
	var others []string
	for _, o := range w.names {
		if o != name {
			others = append(others, o)
		}
	}
	w.net.Partition([]string{name}, others)
}

func (w *world) heal() {
	w.eng.Heal()
	w.net.HealAll()
}

// leader has node1 lead the run, and returns it.
func (w *world) leader() *node {
	w.t.Helper()
	n := w.nodes["node1"]
	require.NoError(w.t, n.queue.Add(context.Background(), job))
	w.until(func() bool { return n.evaluates() })
	return n
}

// shares has node1 lead the run and share an operation, and returns it when the run is offered.
func (w *world) shares() *node {
	w.t.Helper()
	n := w.leader()
	n.open("0.1")
	w.until(func() bool { return len(w.keys("share/offer/")) == 1 })
	return n
}

// until waits until a condition holds.
func (w *world) until(holds func() bool) {
	w.t.Helper()
	for range 1000 {
		if holds() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	require.FailNow(w.t, "nothing happens")
}

// keys returns the values of the keys with a prefix, by the rest of the key.
func (w *world) keys(prefix string) map[string]string {
	all := make(map[string]string)
	for _, n := range w.nodes {
		page, err := n.engine.List(context.Background(), engine.Query{Prefix: prefix})
		if err != nil {
			continue // it is cut off
		}
		for _, e := range page.Entries {
			all[strings.TrimPrefix(e.Key, prefix)] = string(e.Value)
		}
		break
	}
	return all
}

// places returns the nodes that have a place in the run, by place.
func (w *world) places() map[string]string { return w.keys("share/place/" + run + "/") }

// incarnations returns the nodes whose incarnations live in the log of the run, and those that are dead and not gone.
func (w *world) incarnations() (living, dying []string) {
	log, err := logs{w.nodes["node1"].engine}.Log(run)
	require.NoError(w.t, err)
	defer log.Close()
	st := dist.NewState()
	require.NoError(w.t, log.Read(context.Background(), func(at runlog.Position, data []byte) error {
		r, err := dist.Decode(data)
		require.NoError(w.t, err)
		_, err = st.Apply(at, r)
		return err
	}))
	living, dying = st.Incarnations()
	for _, all := range [][]string{living, dying} {
		for i := range all {
			all[i], _, _ = strings.Cut(all[i], "@")
		}
	}
	return living, dying
}

// worker is a node for its queue.
type worker struct{ *node }

// Room implements place.Worker.
func (w worker) Room() place.Room {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.leads {
		return place.Room{}
	}
	return room
}

// Start implements place.Worker.
func (w worker) Start(l *place.Lead) {
	w.mu.Lock()
	p := w.part
	if p != nil {
		p.leads = true
	}
	w.mu.Unlock()
	if p != nil {
		p.replica.Lead()
		return
	}
	w.begin(l.Run, true, func() {})
}

// set changes the node.
func (n *node) set(change func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
}

// setRoom sets the room of the node.
func (n *node) setRoom(r place.Room) { n.set(func() { n.room = r }) }

// parts is place.Options.Parts.
func (n *node) parts(run string) (here, elsewhere bool) {
	n.mu.Lock()
	s := n.share
	n.mu.Unlock()
	if s == nil {
		return false, false
	}
	return s.Parts(run)
}

// Room implements share.Host.
func (n *node) Room() place.Room {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.room
}

// Follow implements share.Host.
func (n *node) Follow(j place.Job, _ string, left func()) bool {
	n.mu.Lock()
	n.followed++
	refuses := n.refuses
	n.mu.Unlock()
	return !refuses && n.begin(j.Run, false, left)
}

// follows returns how many times the node was asked to follow the run.
func (n *node) follows() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.followed
}

// evaluates reports whether the node evaluates the run.
func (n *node) evaluates() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.part != nil && n.part.journal != nil
}

// begin evaluates the run until it is told to leave. A node that has crashed begins nothing.
func (n *node) begin(run string, leads bool, left func()) bool {
	ctx, cancel := context.WithCancel(n.ctx)
	p := &part{cancel: cancel, leads: leads}
	p.replica = n.share.Replica(serve.Evaluation{Run: run, Nodes: n.w.most, Calls: !n.w.calm, Leads: leads,
		Header: journal.Header{Run: run, Program: "p.ptc", Source: "1", Seed: 7},
		Waiting: func() (float64, bool) {
			n.mu.Lock()
			defer n.mu.Unlock()
			return n.waiting, true
		},
		Leave: func() {
			n.mu.Lock()
			defer n.mu.Unlock()
			if p.left = true; !p.leads {
				cancel()
			}
		}})
	evaluate := func() {
		defer left()
		defer cancel()
		err := p.replica.Run(ctx, func(ctx context.Context, j *journal.Journal) error {
			n.set(func() { p.journal = j })
			<-ctx.Done()
			return ctx.Err()
		})
		n.set(func() { n.part, n.ended = nil, err })
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ctx.Err() != nil {
		cancel()
		return false
	}
	n.part = p
	n.wg.Go(evaluate)
	return true
}

// open has the node that leads the run share an operation of eight units.
func (n *node) open(path string) effect.Sharing {
	n.w.t.Helper()
	n.mu.Lock()
	j := n.part.journal
	n.mu.Unlock()
	s, err := j.Replicas().Share(context.Background(), effect.SharedOperation{Path: path, Elements: 8})
	require.NoError(n.w.t, err)
	return s
}

// leave ends the part of the node in the run.
func (n *node) leave() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.part.cancel()
}
