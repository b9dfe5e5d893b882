package member_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	"github.com/ptc-lang/ptc/cluster/internal/load"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/cluster/peer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a cluster in one process, in a bubble of synctest.
type world struct {
	t     *testing.T
	names []string
	eng   *memory.Cluster
	net   *peer.Memory
	nodes map[string]*node
}

type node struct {
	*member.Cluster
	link *peer.MemoryNode
	load atomic.Int64 // of its queue
}

// run runs a test with n nodes that have all joined.
func run(t *testing.T, n int, test func(w *world)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, net: peer.NewMemory(1), nodes: make(map[string]*node)}
		for i := range n {
			w.names = append(w.names, fmt.Sprintf("node%d", i+1))
		}
		w.eng = memory.New(memory.Options{}, w.names...)
		for _, name := range w.names {
			w.join(member.Info{Name: name, Versions: member.Versions{PTC: "1", Go: "1.26", Arch: "amd64", Protocol: 1}})
		}
		time.Sleep(2 * time.Second)
		defer func() {
			for _, name := range w.names {
				w.stop(name)
				w.eng.Crash(name)
			}
		}()
		test(w)
	})
}

// join starts a node on a member of the engine that runs.
func (w *world) join(info member.Info) *node {
	w.t.Helper()
	n := &node{link: w.net.Join(info.Name)}
	var err error
	n.Cluster, err = member.Start(member.Options{Engine: w.eng.Member(info.Name), Network: n.link, Self: info,
		Load: func() load.Load { return load.Load{Capacity: 1, Queue: int(n.load.Load())} }})
	require.NoError(w.t, err)
	w.nodes[info.Name] = n
	return n
}

// stop ends a node as SIGTERM does.
func (w *world) stop(name string) {
	if n := w.nodes[name]; n != nil {
		n.Close()
		n.link.Close()
		delete(w.nodes, name)
	}
}

// kill ends a node as kill -9 does: its engine is gone first, so that it can't end its lease.
func (w *world) kill(name string) {
	w.eng.Crash(name)
	w.stop(name)
}

// restart starts a node again that was killed.
func (w *world) restart(name string) *node {
	w.eng.Start(name)
	return w.join(member.Info{Name: name, Versions: member.Versions{PTC: "1", Go: "1.26", Arch: "amd64", Protocol: 1}})
}

// split cuts the engine and the network.
func (w *world) split(groups ...[]string) {
	w.eng.Split(groups...)
	w.net.Partition(groups...)
}

func (w *world) heal() {
	w.eng.Heal()
	w.net.HealAll()
}

// states returns the states of all members as a node sees them.
func (w *world) states(of string) map[string]member.State {
	all := make(map[string]member.State)
	for _, n := range w.nodes[of].Nodes() {
		all[n.Name] = n.State
	}
	return all
}

func (w *world) node(of, name string) member.Node {
	w.t.Helper()
	n, ok := w.nodes[of].Node(name)
	require.True(w.t, ok)
	return n
}

// TestLives: nodes see each other, with their loads.
func TestLives(t *testing.T) {
	run(t, 3, func(w *world) {
		w.nodes["node2"].load.Store(7)
		time.Sleep(3 * time.Second)
		incarnations := map[any]bool{}
		for _, of := range w.names {
			require.Equal(t, map[string]member.State{"node1": member.Alive, "node2": member.Alive, "node3": member.Alive}, w.states(of))
			n := w.node(of, "node2")
			require.Equal(t, 7, n.Load.Queue)
			require.Equal(t, of == "node2", n.Self)
			require.Equal(t, member.Majority, w.nodes[of].Reach())
			incarnations[w.nodes[of].Now().Incarnation] = true
			require.Equal(t, w.nodes[of].Now().Incarnation, w.node("node1", of).Incarnation)
		}
		require.Len(t, incarnations, 3)
	})
}

// TestDeath: a node that is killed is suspect, then dead, and comes back as another incarnation.
func TestDeath(t *testing.T) {
	run(t, 3, func(w *world) {
		before := w.node("node1", "node3").Incarnation
		require.False(t, w.nodes["node1"].Ended("node3", before))
		require.False(t, w.nodes["node1"].Ended("node3", before+1000), "one that nobody has heard of")
		w.kill("node3")
		seen := map[member.State]bool{}
		for range 80 {
			time.Sleep(50 * time.Millisecond)
			seen[w.states("node1")["node3"]] = true
		}
		require.True(t, seen[member.Dead])
		require.True(t, w.nodes["node1"].Ended("node3", before))
		require.Equal(t, member.Majority, w.nodes["node1"].Reach(), "two of three")

		w.restart("node3")
		time.Sleep(2 * time.Second)
		require.Equal(t, member.Alive, w.states("node1")["node3"])
		require.Greater(t, w.node("node1", "node3").Incarnation, before)
		require.True(t, w.nodes["node1"].Ended("node3", before))
	})
}

// TestQuickRestart: a node that is back before its lease has ended waits for the end.
func TestQuickRestart(t *testing.T) {
	run(t, 3, func(w *world) {
		before := w.node("node1", "node2").Incarnation
		w.kill("node2")
		n := w.restart("node2")
		require.Nil(t, n.Now())
		s, err := n.Session(context.Background())
		require.NoError(t, err)
		require.Greater(t, s.Incarnation, before)
		require.True(t, w.nodes["node1"].Ended("node2", before))
	})
}

// TestStop: a node that stops in an orderly way is dead immediately, and a node that leaves does not count any more.
func TestStop(t *testing.T) {
	run(t, 5, func(w *world) {
		began := time.Now()
		w.stop("node5")
		synctest.Wait()
		require.Equal(t, member.Dead, w.states("node1")["node5"])
		require.Less(t, time.Since(began), time.Second)

		require.NoError(t, w.nodes["node4"].Leave(context.Background()))
		w.nodes["node4"].link.Close()
		delete(w.nodes, "node4")
		synctest.Wait()
		require.Equal(t, member.Left, w.states("node1")["node4"])
		require.ErrorIs(t, w.nodes["node1"].Remove(context.Background(), "node2"), member.ErrAlive)
		require.ErrorIs(t, w.nodes["node1"].Remove(context.Background(), "node9"), member.ErrUnknown)
		require.ErrorIs(t, w.nodes["node1"].Drain(context.Background(), "node9", true), member.ErrUnknown)
		require.NoError(t, w.nodes["node1"].Remove(context.Background(), "node5"))
		synctest.Wait()
		require.NotContains(t, w.states("node1"), "node5")

		// Of five members three are left, so two of them are a majority.
		w.split([]string{"node1", "node2"}, []string{"node3"}, []string{"node4", "node5"})
		w.eng.Heal()
		time.Sleep(5 * time.Second)
		require.Equal(t, member.Majority, w.nodes["node1"].Reach())
		require.Equal(t, member.Isolated, w.nodes["node3"].Reach())
	})
}

// TestReplace: a new node takes the place of a dead one.
func TestReplace(t *testing.T) {
	run(t, 3, func(w *world) {
		w.kill("node3")
		time.Sleep(5 * time.Second)
		require.NoError(t, w.nodes["node1"].Remove(context.Background(), "node3"))
		n := w.restart("node3")
		_, err := n.Session(context.Background())
		require.NoError(t, err)
		time.Sleep(2 * time.Second)
		require.Equal(t, member.Alive, w.states("node2")["node3"])
	})
}

// TestMinority: a node that is cut off loses its session before the others see that it has ended, and is back when the
// cut is healed.
func TestMinority(t *testing.T) {
	run(t, 5, func(w *world) {
		s := w.nodes["node1"].Now()
		var lost, dead atomic.Int64
		began := time.Now()
		context.AfterFunc(s.Context(), func() { lost.Store(int64(time.Since(began))) })
		go func() {
			for !w.nodes["node3"].Ended("node1", s.Incarnation) {
				<-w.nodes["node3"].Changed()
			}
			dead.Store(int64(time.Since(began)))
		}()
		w.split([]string{"node1", "node2"}, []string{"node3", "node4", "node5"})
		time.Sleep(10 * time.Second)
		require.Positive(t, lost.Load())
		require.Less(t, lost.Load(), dead.Load())
		require.ErrorIs(t, context.Cause(s.Context()), member.ErrLost)
		require.Nil(t, w.nodes["node1"].Now())
		require.Equal(t, member.Minority, w.nodes["node1"].Reach())
		require.Equal(t, member.Majority, w.nodes["node3"].Reach())
		require.Equal(t, member.Dead, w.states("node3")["node1"])
		require.Len(t, w.states("node1"), 5, "what a minority knows is old, and there")

		w.heal()
		time.Sleep(10 * time.Second)
		require.Greater(t, w.nodes["node1"].Now().Incarnation, s.Incarnation)
		for _, of := range w.names {
			require.Equal(t, member.Majority, w.nodes[of].Reach())
			for _, state := range w.states(of) {
				require.Equal(t, member.Alive, state)
			}
		}
	})
}

// TestSymmetric: when no part is a majority, no node has a session.
func TestSymmetric(t *testing.T) {
	run(t, 4, func(w *world) {
		w.split([]string{"node1", "node2"}, []string{"node3", "node4"})
		time.Sleep(10 * time.Second)
		for _, of := range w.names {
			require.Nil(t, w.nodes[of].Now())
			require.Equal(t, member.Minority, w.nodes[of].Reach())
		}
		w.heal()
		time.Sleep(10 * time.Second)
		for _, of := range w.names {
			require.NotNil(t, w.nodes[of].Now())
		}
	})
}

// TestAsymmetric: a link that loses one direction makes two nodes suspect each other; both live.
func TestAsymmetric(t *testing.T) {
	run(t, 3, func(w *world) {
		sessions := map[string]*member.Session{"node1": w.nodes["node1"].Now(), "node2": w.nodes["node2"].Now()}
		w.net.Drop("node1", "node2")
		time.Sleep(10 * time.Second)
		require.Equal(t, member.Suspect, w.states("node1")["node2"])
		require.Equal(t, member.Suspect, w.states("node2")["node1"])
		require.Equal(t, member.Alive, w.states("node3")["node1"])
		require.Equal(t, member.Alive, w.states("node1")["node3"])
		for name, s := range sessions {
			require.Equal(t, s, w.nodes[name].Now())
			require.Equal(t, member.Majority, w.nodes[name].Reach())
		}
		n := w.node("node1", "node2")
		require.False(t, n.Usable())
		w.net.HealAll()
		time.Sleep(3 * time.Second)
		require.Equal(t, member.Alive, w.states("node1")["node2"])
	})
}

// TestThreshold: a node is suspect after the configured number of heartbeats.
func TestThreshold(t *testing.T) {
	run(t, 3, func(w *world) {
		time.Sleep(500 * time.Millisecond) // between two heartbeats
		w.net.Cut("node1", "node2")
		time.Sleep(2 * time.Second)
		require.Equal(t, member.Alive, w.states("node1")["node2"])
		require.Equal(t, 2, w.node("node1", "node2").Missed)
		time.Sleep(time.Second)
		require.Equal(t, member.Suspect, w.states("node1")["node2"])
	})
}

// TestNameTaken: two processes with one name are never alive at the same time, and the second says why it waits.
func TestNameTaken(t *testing.T) {
	run(t, 3, func(w *world) {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		second := w.net.Join("extra")
		_, err := member.Join(ctx, member.Options{Engine: w.eng.Member("node2"), Network: second, Self: member.Info{Name: "node1"}})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		second.Close()
		for _, name := range []string{"", "a/b", "ä", "node 1"} {
			_, err := member.Join(ctx, member.Options{Engine: w.eng.Member("node2"), Network: second, Self: member.Info{Name: name}})
			require.ErrorContains(t, err, "want 1 to 64 letters")
		}
		_, err = member.Start(member.Options{})
		require.ErrorContains(t, err, "want both")
	})
}

// TestVersions: nodes of other versions are members, and run no replicas.
func TestVersions(t *testing.T) {
	run(t, 3, func(w *world) {
		w.stop("node3")
		w.join(member.Info{Name: "node3", Versions: member.Versions{PTC: "2", Go: "1.27", Arch: "arm64", Protocol: 1}})
		w.stop("node2")
		w.join(member.Info{Name: "node2", Witness: true, Versions: member.Versions{PTC: "1", Go: "1.26", Arch: "amd64", Protocol: 1}})
		time.Sleep(5 * time.Second)
		n := w.node("node1", "node3")
		require.True(t, n.Usable())
		require.Equal(t, `PTC "2" instead of "1", Go "1.27" instead of "1.26", architecture "arm64" instead of "amd64"`, n.Problem)
		can, refused := w.nodes["node1"].Replicas()
		require.Empty(t, can)
		require.Equal(t, map[string]string{"node2": "it is a witness", "node3": "it has " + n.Problem}, refused)
		require.Equal(t, []string{"b"}, (&member.Info{Tools: []string{"a", "c"}}).Missing([]string{"a", "b"}))
	})
}

// duties counts the nodes that have a duty, and fails when two do at once.
type duties struct {
	t      *testing.T
	mu     sync.Mutex
	has    string
	fences []int64
}

func (d *duties) elect(ctx context.Context, wg *sync.WaitGroup, name string, c *member.Cluster) {
	wg.Go(func() {
		c.Elect(ctx, "coordinator", func(duty *member.Duty) {
			d.mu.Lock()
			if d.has != "" {
				d.t.Errorf("%s has the duty that %s has", name, d.has)
			}
			d.has = name
			d.fences = append(d.fences, int64(duty.Fence))
			d.mu.Unlock()
			<-duty.Context().Done()
			d.mu.Lock()
			d.has = ""
			d.mu.Unlock()
		})
	})
}

func (d *duties) holder() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.has
}

// TestElect: one node at a time has a duty, whatever happens to nodes, and each holder has a higher fence.
func TestElect(t *testing.T) {
	run(t, 5, func(w *world) {
		d := &duties{t: t}
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		for _, name := range w.names {
			d.elect(ctx, &wg, name, w.nodes[name].Cluster)
		}
		time.Sleep(time.Second)
		first := d.holder()
		require.NotEmpty(t, first)
		others := slices.DeleteFunc(slices.Clone(w.names), func(n string) bool { return n == first })
		h, ok := w.nodes[others[0]].Holder("coordinator")
		require.True(t, ok)
		require.Equal(t, first, h.Node)

		w.split([]string{first}, others) // it is cut off
		time.Sleep(6 * time.Second)
		second := d.holder()
		require.NotContains(t, []string{"", first}, second)
		w.heal()
		time.Sleep(6 * time.Second)
		require.Equal(t, second, d.holder(), "nobody takes it back")

		require.NoError(t, w.nodes[first].StepDown(ctx, "coordinator"))
		time.Sleep(time.Second)
		third := d.holder()
		require.NotContains(t, []string{"", second}, third)

		require.NoError(t, w.nodes[first].Drain(ctx, third, true))
		time.Sleep(time.Second)
		fourth := d.holder()
		require.NotContains(t, []string{"", third}, fourth)
		drained := w.node(first, third)
		require.False(t, drained.Usable())
		require.NoError(t, w.nodes[first].Drain(ctx, third, false))

		w.kill(fourth)
		time.Sleep(6 * time.Second)
		require.NotContains(t, []string{"", fourth}, d.holder())
		require.True(t, slices.IsSorted(d.fences))
		require.Len(t, d.fences, 5)
		for _, name := range w.names {
			if name != fourth {
				require.Equal(t, 5, w.nodes[name].Elections(), name)
			}
		}
		cancel()
		wg.Wait()
		require.Empty(t, d.holder())
	})
}

// TestElectLostAnswer: a node that has a duty without knowing it finds out.
func TestElectLostAnswer(t *testing.T) {
	run(t, 3, func(w *world) {
		d := &duties{t: t}
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		w.eng.DropAnswers("node2", 1)
		d.elect(ctx, &wg, "node2", w.nodes["node2"].Cluster)
		time.Sleep(2 * time.Second)
		require.Equal(t, "node2", d.holder())
		cancel()
		wg.Wait()
		synctest.Wait()
		_, ok := w.nodes["node1"].Holder("coordinator")
		require.False(t, ok, "it is given back")
	})
}

// TestWitness: a witness has no duties.
func TestWitness(t *testing.T) {
	run(t, 3, func(w *world) {
		w.stop("node1")
		n := w.join(member.Info{Name: "node1", Witness: true})
		d := &duties{t: t}
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		d.elect(ctx, &wg, "node1", n.Cluster)
		time.Sleep(5 * time.Second)
		require.Empty(t, d.holder())
		d.elect(ctx, &wg, "node2", w.nodes["node2"].Cluster)
		time.Sleep(5 * time.Second)
		require.Equal(t, "node2", d.holder())
		cancel()
		wg.Wait()
	})
}

// TestClocks: nothing that nodes tell each other has a time of a wall clock, so that no step of a clock matters.
func TestClocks(t *testing.T) {
	var check func(typ reflect.Type)
	check = func(typ reflect.Type) {
		require.NotEqual(t, reflect.TypeFor[time.Time](), typ)
		switch typ.Kind() {
		case reflect.Struct:
			for i := range typ.NumField() {
				check(typ.Field(i).Type)
			}
		case reflect.Slice, reflect.Map, reflect.Pointer:
			check(typ.Elem())
		}
	}
	check(reflect.TypeFor[member.Node]())
	check(reflect.TypeFor[member.Holder]())
	check(reflect.TypeFor[load.Load]())
}

// TestEngineDown: a node that starts before its engine has a majority joins when it has one.
func TestEngineDown(t *testing.T) {
	run(t, 3, func(w *world) {
		for _, name := range w.names {
			w.kill(name)
		}
		n := w.restart("node1")
		time.Sleep(20 * time.Second)
		require.Nil(t, n.Now())
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		_, err := n.Session(ctx)
		cancel()
		require.True(t, errors.Is(err, context.DeadlineExceeded))
		w.restart("node2")
		time.Sleep(10 * time.Second)
		require.NotNil(t, n.Now())
	})
}
