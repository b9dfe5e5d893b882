package worker_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	"github.com/ptc-lang/ptc/cluster/internal/place"
	"github.com/ptc-lang/ptc/cluster/internal/worker"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/dir"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ann = access.Who{Name: "ann", Tenant: "default", Role: access.Submitter}

// world is nodes with engines that share a store.
type world struct {
	t     *testing.T
	names []string
	eng   *memory.Cluster
	net   *peer.Memory
	st    store.Store
	nodes map[string]*node

	grants map[string]*tool.Registry // of nodes; the others grant those of tools
	others map[string]serve.Nodes    // of nodes; the others have none
	shares *access.Shares

	mu    sync.Mutex
	calls []string // of tools, as "node name"
}

type node struct {
	name   string
	link   *peer.MemoryNode
	member *member.Cluster
	queue  *place.Queue
	engine *serve.Engine
	led    chan string
}

func run(t *testing.T, n int, test func(w *world)) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store")
	synctest.Test(t, func(t *testing.T) {
		st, err := dir.Open(path)
		require.NoError(t, err)
		w := &world{t: t, net: peer.NewMemory(1), st: st, nodes: make(map[string]*node)}
		for i := range n {
			w.names = append(w.names, fmt.Sprintf("node%d", i+1))
		}
		w.eng = memory.New(memory.Options{}, w.names...)
		for _, name := range w.names {
			w.start(name)
		}
		defer func() {
			for _, name := range w.names {
				if w.nodes[name] != nil {
					w.stop(name)
				}
				w.eng.Crash(name)
			}
			require.NoError(t, st.Close())
		}()
		time.Sleep(2 * time.Second)
		test(w)
	})
}

// start starts a node whose runs may take 8 GB.
func (w *world) start(name string) *node {
	w.t.Helper()
	n := &node{name: name, link: w.net.Join(name), led: make(chan string, 100)}
	granted := w.grants[name]
	if granted == nil {
		granted = w.tools(name)
	}
	var names []string
	for _, t := range granted.All() {
		names = append(names, t.Name())
	}
	var err error
	n.member, err = member.Start(member.Options{Engine: w.eng.Member(name), Network: n.link,
		Self: member.Info{Name: name, Capacity: 10, Tools: names}})
	require.NoError(w.t, err)
	adapter := worker.New(worker.Options{Hold: func(run string, _ engine.Revision) func() {
		n.led <- run
		return func() {}
	}})
	n.queue, err = place.New(place.Options{Engine: w.eng.Member(name), Members: n.member, Worker: adapter})
	require.NoError(w.t, err)
	adapter.Queue(n.queue)
	n.engine, err = serve.New(context.Background(), serve.Options{Store: w.st, Placement: adapter, Memory: 8 << 30,
		Nodes: w.others[name], Shares: w.shares, Run: ptc.Options{Tools: granted, Limits: ptc.Limits{Timeout: time.Hour}}})
	require.NoError(w.t, err)
	adapter.Engine(n.engine)
	w.nodes[name] = n
	return n
}

type args struct {
	Name string `json:"name"`
}

// tools returns tool/do.write, which writes immediately, and tool/do.slow, which reads for 20 seconds.
func (w *world) tools(node string) *tool.Registry {
	r := &tool.Registry{}
	note := func(a args) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.calls = append(w.calls, node+" "+a.Name)
	}
	require.NoError(w.t, r.Add(
		tool.New("do.write", "Writes.", func(_ context.Context, a args) (string, error) {
			note(a)
			return a.Name, nil
		}),
		tool.New("do.slow", "Reads.", func(ctx context.Context, a args) (string, error) {
			note(a)
			select {
			case <-time.After(20 * time.Second):
				return a.Name, nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}, tool.ReadOnly())))
	return r
}

// stop ends a node in order, as SIGTERM does.
func (w *world) stop(name string) {
	n := w.nodes[name]
	delete(w.nodes, name)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	require.NoError(w.t, n.engine.Drain(ctx, 0))
	n.queue.Close()
	n.member.Close()
	n.link.Close()
}

func (w *world) submit(by, source string, labels map[string]string) string {
	w.t.Helper()
	sub := store.Submission{Source: source, Labels: labels}
	run, created, err := w.nodes[by].engine.Submit(context.Background(), sub, ann)
	require.NoError(w.t, err)
	require.True(w.t, created)
	return run.ID
}

// wait waits until a run has ended, and returns it.
func (w *world) wait(id string) store.Run {
	w.t.Helper()
	for range 6000 {
		run, err := w.st.Get(context.Background(), id)
		require.NoError(w.t, err)
		if run.State.Final() {
			return run
		}
		time.Sleep(100 * time.Millisecond)
	}
	for _, n := range w.nodes {
		w.t.Logf("%s: %q %+v", n.name, n.queue.Why(id), n.queue.Stats())
	}
	run, _ := w.st.Get(context.Background(), id)
	require.FailNow(w.t, "the run does not end", "%s %s", run.State, run.Reason)
	return store.Run{}
}

func (w *world) called() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.calls)
}

// leader waits until a node leads a run, and returns its name.
func (w *world) leader(id string) string {
	w.t.Helper()
	for range 100 {
		if name, ok := w.nodes[w.alive()].queue.Leader(id); ok {
			return name
		}
		time.Sleep(100 * time.Millisecond)
	}
	require.FailNow(w.t, "nobody leads the run", id)
	return ""
}

func (w *world) alive() string {
	for _, name := range w.names {
		if w.nodes[name] != nil {
			return name
		}
	}
	return ""
}

// TestShared: engines share the runs of a store, and each run is run once.
func TestShared(t *testing.T) {
	run(t, 3, func(w *world) {
		var ids []string
		for i := range 30 {
			ids = append(ids, w.submit(w.names[i%3], fmt.Sprintf(`(tool/do.write {:name "%d"})`, i), nil))
		}
		for i, id := range ids {
			got := w.wait(id)
			require.Equal(t, store.Succeeded, got.State, got.Text)
			require.Equal(t, 1, got.Attempts)
			require.JSONEq(t, fmt.Sprintf(`"%d"`, i), string(got.Value))
		}
		require.Len(t, w.called(), 30)
		time.Sleep(time.Second)
		for _, n := range w.nodes {
			require.NotZero(t, len(n.led), n.name)
			require.Empty(t, n.queue.Units())
			require.Zero(t, n.engine.Stats().Running)
		}
	})
}

// TestLost: a node that loses its leads stops its runs, and another one continues with them.
func TestLost(t *testing.T) {
	run(t, 3, func(w *world) {
		id := w.submit("node1", `(do (tool/do.write {:name "first"}) (tool/do.slow {:name "slow"}) (tool/do.write {:name "last"}))`, nil)
		first := w.leader(id)
		time.Sleep(10 * time.Second)
		require.Equal(t, []string{first + " first", first + " slow"}, w.called())
		w.eng.Cut(first)
		time.Sleep(10 * time.Second)
		require.Zero(t, w.nodes[first].engine.Stats().Running)
		second := ""
		for _, name := range w.names {
			if lead, ok := w.nodes[name].queue.Leader(id); ok && name != first {
				second = lead
			}
		}
		require.NotContains(t, []string{"", first}, second)
		got := w.wait(id)
		require.Equal(t, store.Succeeded, got.State, got.Text)
		require.Equal(t, 2, got.Attempts)
		require.Equal(t, []string{first + " first", first + " slow", second + " slow", second + " last"}, w.called())
		w.eng.Heal()
		time.Sleep(10 * time.Second)
		require.Empty(t, w.nodes[first].queue.Units())
	})
}

// TestStop: a node that ends in order hands its runs over, in less than a second.
func TestStop(t *testing.T) {
	run(t, 2, func(w *world) {
		id := w.submit("node1", `(do (tool/do.slow {:name "slow"}) (tool/do.write {:name "last"}))`, nil)
		first := w.leader(id)
		time.Sleep(10 * time.Second)
		began := time.Now()
		w.stop(first)
		require.Less(t, time.Since(began), time.Second)
		time.Sleep(time.Second)
		second := w.leader(id)
		require.NotEqual(t, first, second)
		got := w.wait(id)
		require.Equal(t, store.Succeeded, got.State, got.Text)
		require.Zero(t, got.Crashes)
		require.Equal(t, []string{first + " slow", second + " slow", second + " last"}, w.called())
	})
}

// TestPoisoned: a run whose leaders die three times without an effect in between is set aside.
func TestPoisoned(t *testing.T) {
	run(t, 5, func(w *world) {
		id := w.submit("node1", `(tool/do.slow {:name "slow"})`, nil)
		for range 3 {
			leader := w.leader(id)
			time.Sleep(5 * time.Second)
			w.eng.Cut(leader)
			time.Sleep(10 * time.Second)
			w.eng.Heal()
			time.Sleep(5 * time.Second)
		}
		got := w.wait(id)
		require.Equal(t, store.Poisoned, got.State)
		require.Equal(t, 3, got.Crashes)
		time.Sleep(time.Second)
		require.Empty(t, w.nodes["node1"].queue.Units())
	})
}

// TestWake: a run that is parked for a time continues after it, although the node that parked it is gone.
func TestWake(t *testing.T) {
	run(t, 2, func(w *world) {
		kept, _, err := w.st.Create(context.Background(), store.Run{Tenant: "default", By: "ann", State: store.Running,
			Submission: store.Submission{Name: "a.ptc", Source: `(tool/do.write {:name "a"})`}})
		require.NoError(t, err)
		_, err = w.st.Update(context.Background(), kept.ID, func(r *store.Run) error {
			r.State, r.Wake = store.Parked, time.Now().Add(5*time.Minute)
			return nil
		})
		require.NoError(t, err)
		w.stop("node1")
		w.start("node1")
		time.Sleep(4 * time.Minute)
		require.Empty(t, w.called())
		time.Sleep(2 * time.Minute)
		require.Equal(t, store.Succeeded, w.wait(kept.ID).State)
	})
}

// TestParked: a run that waits for an answer is in no queue, and continues after it, wherever it is answered.
func TestParked(t *testing.T) {
	run(t, 3, func(w *world) {
		id := w.submit("node1", `(str "got " (ask {:question "Go on?" :options ["yes" "no"]}))`, nil)
		first := w.leader(id)
		time.Sleep(2 * time.Minute) // it lingers for one
		parked, err := w.st.Get(context.Background(), id)
		require.NoError(t, err)
		require.Equal(t, store.Parked, parked.State)
		require.Empty(t, w.nodes["node1"].queue.Units())
		w.stop(first)
		answer := effect.Settlement{ID: parked.Pending[0].ID, As: effect.Done, Result: []byte(`"yes"`)}
		_, err = w.nodes[w.alive()].engine.Settle(context.Background(), id, []effect.Settlement{answer}, ann)
		require.NoError(t, err)
		got := w.wait(id)
		require.Equal(t, `"got yes"`, string(got.Value))
		require.Equal(t, 2, got.Attempts)
	})
}

// TestDeadline: a run whose deadline passes is cancelled, whether it waits or runs.
func TestDeadline(t *testing.T) {
	run(t, 2, func(w *world) {
		waits := w.submit("node1", `(tool/do.write {:name "never"})`, map[string]string{worker.LabelNode + "disk": "fast",
			worker.LabelDeadline: "20s"})
		runs := w.submit("node1", `(tool/do.slow {:name "slow"})`, map[string]string{worker.LabelDeadline: "15s"})
		ends := w.submit("node1", `(tool/do.slow {:name "slow"})`, map[string]string{worker.LabelDeadline: "50s"})
		odd := w.submit("node1", `1`, map[string]string{worker.LabelDeadline: "soon"})
		for _, id := range []string{waits, runs} {
			got := w.wait(id)
			require.Equal(t, store.Cancelled, got.State, got.Text)
			require.Equal(t, "its deadline has passed", got.Reason)
			took := got.Ended.Sub(got.Created)
			require.True(t, took > 14*time.Second && took < 30*time.Second, took)
		}
		require.Equal(t, store.Succeeded, w.wait(ends).State)
		require.Equal(t, store.Succeeded, w.wait(odd).State)
		require.NotContains(t, w.called(), "never")
	})
}

// TestCancel: a run that waits is cancelled at any node, and is not started.
func TestCancel(t *testing.T) {
	run(t, 2, func(w *world) {
		id := w.submit("node1", `(tool/do.write {:name "never"})`, map[string]string{worker.LabelNode + "disk": "fast"})
		time.Sleep(5 * time.Second)
		require.Contains(t, w.nodes["node1"].queue.Why(id), "no node can take it")
		got, err := w.nodes["node2"].engine.Cancel(context.Background(), id, ann)
		require.NoError(t, err)
		require.Equal(t, store.Cancelled, got.State, got.Text)
		synctest.Wait()
		require.Empty(t, w.nodes["node1"].queue.Units())
		require.Empty(t, w.called())
	})
}

// TestLabels: labels of a run decide where it runs.
func TestLabels(t *testing.T) {
	run(t, 3, func(w *world) {
		var by []string
		for range 6 {
			id := w.submit("node1", `(tool/do.slow {:name "slow"})`, map[string]string{worker.LabelAffinity: "rack7"})
			by = append(by, w.leader(id))
		}
		require.Len(t, slices.Compact(by), 1)
	})
}

// TestUnplaced: runs that an engine has kept and not placed are placed by the next one that begins.
func TestUnplaced(t *testing.T) {
	run(t, 2, func(w *world) {
		kept, _, err := w.st.Create(context.Background(), store.Run{Tenant: "default", By: "ann", State: store.Queued,
			Submission: store.Submission{Name: "a.ptc", Source: `(tool/do.write {:name "a"})`}})
		require.NoError(t, err)
		time.Sleep(10 * time.Second)
		require.Empty(t, w.called())
		w.stop("node1")
		w.start("node1")
		require.Equal(t, store.Succeeded, w.wait(kept.ID).State)
		require.Len(t, w.called(), 1)
	})
}
