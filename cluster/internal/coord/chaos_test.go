// This file kills, cuts and stops nodes at random while their runs use guards.

package coord_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/coord"
	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/effect"
)

var (
	thorough  = flag.Bool("thorough", false, "run the random histories of a release, instead of a sample")
	oneWorld  = flag.Uint64("world", 0, "run this random history only; 0 is no single one")
	chaosTime = time.Minute
)

// TestChaos: whatever happens to nodes and links, a guard has one holder, and the fences of its holders
// grow. When all faults are repaired, all waiters get it, and in the end nothing is held.
func TestChaos(t *testing.T) {
	worlds := uint64(12)
	switch {
	case *thorough:
		worlds = 2000
	case testlevel.Small():
		worlds = 2
	}
	var total tally
	for seed := uint64(1); seed <= worlds; seed++ {
		if *oneWorld != 0 {
			seed, worlds = *oneWorld, *oneWorld
		}
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { newWorld(t, seed).run(&total) })
		})
		if !ok {
			return
		}
	}
	t.Logf("%+v", total)
	require.Positive(t, total.Granted)
	if *oneWorld == 0 && !testlevel.Small() {
		require.Positive(t, total.Lost, "no guard was lost")
		require.Positive(t, total.Survived, "no guard was held over a change of the coordinator")
		require.Positive(t, total.Late)
	}
}

// tally counts the events of some worlds.
type tally struct {
	Granted, Lost, Survived, Late, Faults, Terms int
}

// world is a cluster with runs that use guards, and with faults.
type world struct {
	*cluster
	r     *rand.Rand
	hosts []*resource
	runs  sync.WaitGroup
	end   time.Time
	tally
	mu     sync.Mutex // guards the tally
	killed map[string]chan struct{}
}

// resource is a system outside of the cluster. It refuses the writes of an earlier holder, and sees who uses it.
type resource struct {
	mu     sync.Mutex
	fence  uint64
	inside map[string]bool
}

// enter is the beginning of a use.
func (r *resource) enter(t *testing.T, who string, fence uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	require.Empty(t, r.inside, "%s has a guard that others hold", who)
	require.Greater(t, fence, r.fence, "the fence of %s", who)
	r.fence = fence
	r.inside[who] = true
}

// write is a change by the holder.
func (r *resource) write(t *testing.T, who string, fence uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inside[who] {
		require.Equal(t, fence, r.fence, "%s holds the guard, and another one has written", who)
	}
}

func (r *resource) leave(who string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.inside, who)
}

func newWorld(t *testing.T, seed uint64) *world {
	r := rand.New(rand.NewPCG(seed, 7))
	w := &world{cluster: start(t, 3+2*r.IntN(2), seed), r: r, end: time.Now().Add(chaosTime),
		killed: make(map[string]chan struct{})}
	for range 4 { // the last one is that of the global guard
		w.hosts = append(w.hosts, &resource{inside: make(map[string]bool)})
	}
	for _, name := range w.names {
		w.killed[name] = make(chan struct{})
	}
	w.net.Delay(0, time.Duration(r.IntN(30))*time.Millisecond)
	w.net.Fail(peer.Faults{Before: 0.01, After: 0.01, Twice: 0.02})
	return w
}

func (w *world) run(total *tally) {
	for _, name := range w.names {
		w.work(name)
	}
	for time.Now().Before(w.end) {
		time.Sleep(time.Duration(w.r.IntN(3000)) * time.Millisecond)
		w.disturb()
		w.Faults++
	}
	w.heal()
	w.runs.Wait() // a run that waits forever is a stall of the bubble, or hits its deadline
	time.Sleep(10 * lease)
	w.net.Fail(peer.Faults{})
	w.quiet()
	for _, name := range w.names {
		if _, term := w.nodes[name].Coordinator(); int(term) > w.Terms {
			w.Terms = int(term)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	total.Granted, total.Lost, total.Survived = total.Granted+w.Granted, total.Lost+w.Lost, total.Survived+w.Survived
	total.Late, total.Faults, total.Terms = total.Late+w.Late, total.Faults+w.Faults, total.Terms+w.Terms
}

// quiet checks that nothing is held and nobody waits.
func (w *world) quiet() {
	n := w.nodes[w.coordinator()]
	stats, err := n.Guards().Stats(context.Background(), 10)
	require.NoError(w.t, err)
	require.Zero(w.t, stats.Held, "%+v", stats)
	require.Empty(w.t, stats.Global.Holder)
	require.Zero(w.t, stats.Waiting)
	sessions, err := w.engine.Member(w.names[0]).List(context.Background(), engine.Query{Prefix: "coord/session/"})
	require.NoError(w.t, err)
	require.Len(w.t, sessions.Entries, len(w.names), "one session of each node is left")
	for i := range w.hosts {
		h, err := w.request(n, i, evaluation(n, "last", "0"), context.Background())
		require.NoError(w.t, err)
		require.NoError(w.t, h.Release())
	}
}

// request takes the guard of a resource.
func (w *world) request(n *coord.Node, i int, o effect.Owner, ctx context.Context) (effect.Held, error) {
	r := &effect.GuardRequest{Hint: exclusive, Host: fmt.Sprint("db", i), Owner: o}
	if i == len(w.hosts)-1 {
		r.Hint, r.Host = global, ""
	}
	return n.Guards().Acquire(ctx, r)
}

// work starts runs on a node.
func (w *world) work(name string) {
	n, killed := w.nodes[name], w.killed[name]
	for i := range 3 {
		r := rand.New(rand.NewPCG(w.r.Uint64(), 0))
		w.runs.Go(func() {
			for k := 0; time.Now().Before(w.end); k++ {
				w.use(n, killed, fmt.Sprintf("%s/%d/%d", name, i, k), r)
				select {
				case <-killed:
					return
				case <-time.After(time.Duration(r.IntN(300)) * time.Millisecond):
				}
			}
		})
	}
}

// use takes a guard and uses its resource for a while.
func (w *world) use(n *coord.Node, killed chan struct{}, run string, r *rand.Rand) {
	i := r.IntN(len(w.hosts))
	patience := 10 * time.Minute // all is well long before
	if r.IntN(2) == 0 {
		patience = time.Duration(r.IntN(8000)) * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	held, err := w.request(n, i, evaluation(n, run, "0"), ctx)
	select {
	case <-killed: // by then the process does not exist
		return
	default:
	}
	if err != nil {
		require.ErrorIs(w.t, err, context.DeadlineExceeded)
		require.NotEqual(w.t, 10*time.Minute, patience, "%s never got its guard: %v", run, err)
		w.count(&w.Late)
		return
	}
	w.count(&w.Granted)
	_, term := n.Coordinator()
	w.hosts[i].enter(w.t, run, held.Fence())
	most := 1500
	if r.IntN(4) == 0 {
		most = 8000
	}
	until := time.After(time.Duration(r.IntN(most)) * time.Millisecond)
	for {
		select {
		case <-killed:
			w.hosts[i].leave(run)
			return
		case <-held.Lost().Done():
			w.hosts[i].leave(run)
			require.ErrorIs(w.t, context.Cause(held.Lost()), effect.ErrGuardLost)
			require.Error(w.t, held.Release())
			w.count(&w.Lost)
			return
		case <-time.After(50 * time.Millisecond):
			w.hosts[i].write(w.t, run, held.Fence())
		case <-until:
			if _, now := n.Coordinator(); now > term && held.Lost().Err() == nil {
				w.count(&w.Survived)
			}
			w.hosts[i].leave(run)
			if err := held.Release(); err != nil { // it was lost at this moment
				require.Error(w.t, held.Lost().Err())
			}
			return
		}
	}
}

func (w *world) count(n *int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*n++
}

// disturb has something happen.
func (w *world) disturb() {
	name := w.names[w.r.IntN(len(w.names))]
	if w.r.IntN(2) == 0 {
		if at, _ := w.nodes[name].Coordinator(); at != "" {
			name = at
		}
	}
	other := w.names[w.r.IntN(len(w.names))]
	switch w.r.IntN(11) {
	case 0, 1:
		w.kill(name)
		time.Sleep(time.Duration(w.r.IntN(4000)) * time.Millisecond)
		w.restart(name)
	case 2:
		w.engine.Cut(name)
	case 3:
		w.isolate(name)
	case 4:
		w.isolate(name)
		w.engine.Cut(name)
	case 5:
		if name != other {
			w.net.Drop(name, other)
		}
	case 6:
		w.leave(name) // in peace
		w.restart(name)
	case 7:
		w.engine.DropAnswers(name, 1+w.r.IntN(3))
	default:
		w.heal()
	}
}

// isolate cuts a node from the others.
func (w *world) isolate(name string) {
	for _, other := range w.names {
		if other != name {
			w.net.Cut(name, other)
		}
	}
}

func (w *world) heal() {
	w.net.HealAll()
	w.engine.Heal()
}

// kill ends a node as kill -9 does.
func (w *world) kill(name string) {
	close(w.killed[name])
	for _, r := range w.hosts { // its process uses nothing any more
		r.mu.Lock()
		for who := range r.inside {
			if len(who) > len(name) && who[:len(name)+1] == name+"/" {
				delete(r.inside, who)
			}
		}
		r.mu.Unlock()
	}
	w.engine.Crash(name)
	w.links[name].Close()
	if err := w.nodes[name].Close(); err != nil && !errors.Is(err, context.Canceled) {
		require.NoError(w.t, err)
	}
	delete(w.nodes, name)
}

// leave ends a node in peace. Its runs have ended before.
func (w *world) leave(name string) {
	close(w.killed[name])
	time.Sleep(time.Millisecond)
	w.cluster.leave(name)
	w.engine.Crash(name)
}

// restart starts a node that was killed, with new runs.
func (w *world) restart(name string) {
	w.engine.Start(name)
	w.killed[name] = make(chan struct{})
	w.join(name)
	w.work(name)
}
