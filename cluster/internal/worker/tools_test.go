package worker_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/store"
)

// asker asks the engine of another node which tools a program can reach, and looks for changes of runs in the store.
type asker struct {
	serve.Nodes
	other func() *serve.Engine
	st    store.Store
}

func (asker) Self() string                               { return "node1" }
func (asker) Others(context.Context) []serve.Here        { return nil }
func (asker) Waits(context.Context, string) []serve.Wait { return nil }
func (a asker) Reach(ctx context.Context, p serve.Reachable) (serve.Reached, bool) {
	all, err := a.other().Reach(ctx, p)
	return all, err == nil
}

func (a asker) Changed(ctx context.Context, run string, after uint64) {
	for ctx.Err() == nil {
		if r, err := a.st.Get(ctx, run); err != nil || r.Revision > after {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestTools has a tool that only node2 grants: runs that can reach it run there, whichever node they were submitted to,
// and runs that evaluate generated code run on nodes that have all tools of the node of the submission.
func TestTools(t *testing.T) {
	run(t, 2, func(w *world) {
		only := func(name string, names ...string) *tool.Registry {
			r := w.tools(name)
			for _, n := range names {
				require.NoError(t, r.Add(tool.New(n, "Reads.", func(context.Context, struct{}) (string, error) {
					return name, nil
				}, tool.ReadOnly())))
			}
			return r
		}
		for _, name := range w.names {
			w.stop(name)
		}
		w.grants = map[string]*tool.Registry{"node1": only("node1"), "node2": only("node2", "do.rare")}
		w.others = map[string]serve.Nodes{"node1": asker{other: func() *serve.Engine { return w.nodes["node2"].engine }, st: w.st}}
		for _, name := range w.names {
			w.start(name)
		}
		time.Sleep(2 * time.Second)
		for _, c := range []struct{ by, source, where string }{
			{"node1", `(tool/do.rare)`, "node2"},
			{"node2", `(map (fn [_] (tool/do.rare)) (range 3))`, "node2"},
			{"node2", `(eval '(tool/do.rare))`, "node2"},
		} {
			for range 5 {
				id := w.submit(c.by, c.source, nil)
				done := w.wait(id)
				require.Equal(t, store.Succeeded, done.State, "%s: %s", c.source, done.Text)
				require.Contains(t, string(done.Value), c.where)
				require.Contains(t, done.Tools, "do.rare")
			}
		}
		id := w.submit("node1", `(tool/do.rare) (Thread/sleep 20000) "slept"`, nil)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		done, err := w.nodes["node1"].engine.Wait(ctx, id)
		require.NoError(t, err)
		require.Equal(t, store.Succeeded, done.State, "node1 waits for a run that node2 leads")

		id = w.submit("node1", `(tool/do.write {:name "a"})`, nil)
		require.Equal(t, []string{"do.write"}, w.wait(id).Tools)

		// The node that grants it is gone: the run waits, and says why.
		id = w.submit("node1", `(tool/do.rare)`, map[string]string{"node.none": "x"})
		w.stop("node2")
		time.Sleep(5 * time.Second)
		got, err := w.nodes["node1"].engine.Get(context.Background(), id)
		require.NoError(t, err)
		require.Equal(t, store.Queued, got.State)
		require.Contains(t, got.Reason, "node1 does not grant do.rare")

		// No node grants it: the error is that of the node that was asked.
		w.start("node2")
		_, _, err = w.nodes["node1"].engine.Submit(context.Background(), store.Submission{Source: `(tool/do.nothing)`}, ann)
		require.ErrorContains(t, err, "no tool named tool/do.nothing")
	})
}
