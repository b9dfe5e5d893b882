// This file defines the clusters of the tests: nodes in one process, whose workers run simulated runs.

package place_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	"github.com/ptc-lang/ptc/cluster/internal/load"
	"github.com/ptc-lang/ptc/cluster/internal/place"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/cluster/peer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a cluster, with a record of the effects of its runs.
type world struct {
	t     *testing.T
	names []string
	eng   *memory.Cluster
	net   *peer.Memory
	nodes map[string]*node
	opts  place.Options
	begin time.Time
	share atomic.Int64 // runs of a tenant at once; 0 for any number

	mu     sync.Mutex
	runs   map[string]*simulated
	order  []string // runs, as they were started
	leads  map[string]int
	sum    place.Stats // of nodes that were stopped
	fences int         // effects that were refused because of a later fence
}

// simulated is a run: it performs effects, and waits a time before each.
type simulated struct {
	effects int
	each    time.Duration
	fence   engine.Revision // the highest that an effect was performed with
	done    []int           // times that each effect was performed
	ended   int             // 1 if a result was kept, which only one leader can
	gone    bool            // it was removed from the queue
	expired bool
	left    time.Duration
	by      []string // the nodes that have led it
	first   time.Duration
}

// node is a node of the cluster: its parts, and its worker.
type node struct {
	w     *world
	info  member.Info
	link  *peer.MemoryNode
	m     *member.Cluster
	q     *place.Queue
	ctx   context.Context
	crash context.CancelFunc
	wg    sync.WaitGroup

	mu     sync.Mutex
	slots  int
	memory int64
	busy   map[string]int64
	// tenants has the number of runs by tenant.
	tenants map[string]int
	load    load.Load
}

// cluster runs a test in a bubble with nodes of the given infos.
func cluster(t *testing.T, opts place.Options, infos []member.Info, slots int, test func(w *world)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, net: peer.NewMemory(1), nodes: make(map[string]*node), opts: opts, begin: time.Now(),
			runs: make(map[string]*simulated), leads: make(map[string]int)}
		for _, i := range infos {
			w.names = append(w.names, i.Name)
		}
		w.eng = memory.New(memory.Options{}, w.names...)
		for _, i := range infos {
			w.eng.Delay(i.Name, 4*time.Millisecond)
			w.start(i, slots)
		}
		defer func() {
			for _, name := range slices.Sorted(maps.Keys(w.nodes)) {
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

// named returns infos of n nodes.
func named(n int) (all []member.Info) {
	for i := range n {
		all = append(all, member.Info{Name: fmt.Sprintf("node%02d", i+1), Capacity: 4})
	}
	return all
}

// start starts a node on its member of the engine.
func (w *world) start(info member.Info, slots int) *node {
	w.t.Helper()
	n := &node{w: w, info: info, link: w.net.Join(info.Name), slots: slots, memory: 1000, busy: make(map[string]int64),
		tenants: make(map[string]int)}
	n.ctx, n.crash = context.WithCancel(context.Background())
	var err error
	n.m, err = member.Start(member.Options{Engine: w.eng.Member(info.Name), Network: n.link, Self: info, Load: n.now})
	require.NoError(w.t, err)
	o := w.opts
	o.Engine, o.Members, o.Worker = w.eng.Member(info.Name), n.m, n
	q, err := place.New(o)
	require.NoError(w.t, err)
	n.mu.Lock()
	n.q = q
	n.mu.Unlock()
	w.nodes[info.Name] = n
	return n
}

// stop ends a node in order.
func (w *world) stop(name string) {
	n := w.nodes[name]
	delete(w.nodes, name)
	n.q.Close()
	n.m.Close()
	n.crash()
	n.wg.Wait()
	n.link.Close()
	s := n.q.Stats()
	w.sum.Added, w.sum.Taken, w.sum.Conflicts = w.sum.Added+s.Added, w.sum.Taken+s.Taken, w.sum.Conflicts+s.Conflicts
	w.sum.Finished, w.sum.Returned, w.sum.Lost = w.sum.Finished+s.Finished, w.sum.Returned+s.Returned, w.sum.Lost+s.Lost
	w.sum.Expired, w.sum.Moves, w.sum.Moved = w.sum.Expired+s.Expired, w.sum.Moves+s.Moves, w.sum.Moved+s.Moved
	w.sum.Commits += s.Commits
}

// kill ends a node as kill -9 does, and its member of the engine with it.
func (w *world) kill(name string) {
	w.eng.Crash(name)
	w.nodes[name].crash() // immediately, without further effects
	w.stop(name)
}

// restart starts a node again that was killed.
func (w *world) restart(info member.Info, slots int) {
	w.eng.Start(info.Name)
	w.eng.Delay(info.Name, 4*time.Millisecond)
	w.start(info, slots)
}

func (w *world) split(groups ...[]string) {
	w.eng.Split(groups...)
	w.net.Partition(groups...)
}

func (w *world) heal() {
	w.eng.Heal()
	w.net.HealAll()
}

// add adds a run by a node.
func (w *world) add(by string, j place.Job, effects int, each time.Duration) {
	w.t.Helper()
	w.mu.Lock()
	w.runs[j.Run] = &simulated{effects: effects, each: each, done: make([]int, effects)}
	w.mu.Unlock()
	require.NoError(w.t, w.nodes[by].q.Add(context.Background(), j))
}

// led returns how many runs each node has led.
func (w *world) led() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.leads)
}

func (w *world) started() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.order)
}

func (w *world) run(id string) simulated {
	w.mu.Lock()
	defer w.mu.Unlock()
	return *w.runs[id]
}

// left returns the runs that have not ended.
func (w *world) left() (all []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, r := range w.runs {
		if r.ended == 0 {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	return all
}

// wait waits until all runs have ended.
func (w *world) wait(most time.Duration) {
	w.t.Helper()
	for began := time.Now(); len(w.left()) > 0; time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > most {
			id := w.left()[0]
			for _, n := range w.nodes {
				w.t.Logf("%s: %q, %+v, reach %s, session %v", n.info.Name, n.q.Why(id), n.q.Stats(), n.m.Reach(), n.m.Now() != nil)
			}
			require.FailNow(w.t, "runs do not end", "%d after %s, such as %s: %+v", len(w.left()), most, id, w.run(id))
		}
	}
}

func (n *node) now() load.Load {
	n.mu.Lock()
	q, l := n.q, n.load
	l.Runs, l.Connections, l.Capacity = len(n.busy), len(n.busy), n.slots
	n.mu.Unlock()
	if q != nil {
		l.Queue = q.Stats().Prefer
	}
	return l
}

func (n *node) setLoad(l load.Load) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.load = l
}

// Room implements place.Worker.
func (n *node) Room() place.Room {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := place.Room{Runs: n.slots - len(n.busy), Memory: n.memory, Most: n.memory}
	for _, memory := range n.busy {
		r.Memory -= memory
	}
	if n.w.share.Load() > 0 {
		r.Bounded = func(place.Job) bool { return true }
		r.May = func(j place.Job, ofTenant, _ place.Use) bool {
			n.mu.Lock()
			defer n.mu.Unlock()
			return n.tenants[j.Tenant]+ofTenant.Running < int(n.w.share.Load())
		}
	}
	return r
}

// Start implements place.Worker.
func (n *node) Start(l *place.Lead) {
	n.mu.Lock()
	_, twice := n.busy[l.Run]
	n.busy[l.Run] = l.Memory
	n.tenants[l.Tenant]++
	n.mu.Unlock()
	w := n.w
	w.mu.Lock()
	r := w.runs[l.Run]
	if twice {
		w.t.Errorf("%s runs %s twice at once", n.info.Name, l.Run)
	}
	if r.gone {
		w.t.Errorf("%s leads %s, which has ended", n.info.Name, l.Run)
	}
	if len(r.by) == 0 {
		r.first = time.Since(w.begin)
	}
	r.by, r.left = append(r.by, n.info.Name), l.Deadline
	r.expired = r.expired || l.Expired
	w.order = append(w.order, l.Run)
	w.leads[n.info.Name]++
	w.mu.Unlock()
	n.wg.Go(func() {
		ctx, cancel := context.WithCancel(l.Context())
		stop := context.AfterFunc(n.ctx, cancel)
		n.perform(ctx, l)
		stop()
		cancel()
		n.mu.Lock()
		delete(n.busy, l.Run)
		n.tenants[l.Tenant]--
		n.mu.Unlock()
		if n.ctx.Err() == nil {
			n.q.Kick()
		}
	})
}

// perform runs a run from its first effect whose end is not recorded.
func (n *node) perform(ctx context.Context, l *place.Lead) {
	e := n.w.eng.Member(n.info.Name)
	record := func(key string) bool {
		for {
			res, err := e.Apply(ctx, []engine.Condition{l.Holds(), engine.Absent(key)}, engine.Put(key, nil))
			if err == nil {
				return res.Done || res.Found[0].Created == l.Fence // it was recorded before, or by an attempt with no answer
			}
			select {
			case <-ctx.Done():
				return false
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	n.w.mu.Lock()
	r := n.w.runs[l.Run]
	n.w.mu.Unlock()
	for i := range r.effects {
		if l.Expired {
			break
		}
		key := fmt.Sprintf("sim/%s/%d", l.Run, i)
		if _, ended, err := e.Get(ctx, key+"/end"); err != nil {
			return
		} else if ended {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(r.each):
		}
		if !record(key+"/begin") || ctx.Err() != nil {
			return
		}
		n.w.effect(l, i)
		if !record(key + "/end") {
			return
		}
	}
	if !record("sim/" + l.Run + "/result") {
		return
	}
	n.w.end(l)
	switch err := l.Finish(ctx); {
	case err == nil:
		n.w.mu.Lock()
		r.gone = true
		n.w.mu.Unlock()
	case ctx.Err() == nil && !errors.Is(err, place.ErrLost):
		n.w.t.Errorf("%s can't finish %s: %v", n.info.Name, l.Run, err)
	}
}

// effect performs an effect in the world, which refuses lower fences, as a tool that knows fences does. One that was
// performed before is not performed again, as a person finds out who settles it.
func (w *world) effect(l *place.Lead, i int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.runs[l.Run]
	if l.Fence < r.fence {
		w.fences++
		w.t.Errorf("an effect of %s with the fence %d after one with %d", l.Run, l.Fence, r.fence)
		return
	}
	r.fence = l.Fence
	if r.done[i] == 0 {
		r.done[i]++
	}
}

// end notes that a result was kept.
func (w *world) end(l *place.Lead) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs[l.Run].ended = 1
}
