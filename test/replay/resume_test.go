package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// interrupted is a program whose writes depend on its reads, at two levels of parallel operations.
const interrupted = `
	(defn settle [region]
	  (let [orders (tool/orders region)
	        paid (pmap (fn [order] (if (odd? order) (tool/pay {:order order :region region}) (tool/look order))) orders)]
	    (tool/report {:region region :sum (reduce + paid)})))
	(def fastest (pany (fn [n] (tool/look n)) [3 5 8]))
	(def sums (mapv settle ["north" "south"]))
	(tool/close {:total (reduce + (concat sums (pmap settle ["east" "west" "mid"])))
	             :at (pos? (System/currentTimeMillis)) :fastest (contains? #{3 5 8} fastest)})`

// world is the state that the tools of interrupted change. At a given access, its current state is kept, as
// on a machine that loses its power.
type world struct {
	mu      sync.Mutex
	changed sync.Cond // writes
	writes  map[string]int
	touches int
	at      int // the touch; 0 for never
	kept    map[string]int
	journal []byte
	path    string
	stop    context.CancelFunc
}

// touch is called before and after each call.
func (w *world) touch(write string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if write != "" {
		w.writes[write]++
		w.changed.Broadcast()
	}
	w.touches++
	if w.touches != w.at {
		return
	}
	w.kept = make(map[string]int)
	for k, n := range w.writes {
		w.kept[k] = n
	}
	var err error
	if w.journal, err = os.ReadFile(w.path); err != nil {
		panic(err)
	}
	w.stop()
}

func (w *world) tools(t *testing.T) *tool.Registry {
	call := func(name string, args string, result func(in map[string]any) any, opts ...tool.Option) *tool.Tool {
		return tool.Dynamic(name, "", json.RawMessage(args), nil, func(_ context.Context, raw json.RawMessage) (json.RawMessage, error) {
			var in map[string]any
			if err := json.Unmarshal(raw, &in); err != nil {
				return nil, err
			}
			w.touch("")
			write := ""
			if len(opts) == 0 {
				write = name + string(raw)
			}
			out, err := json.Marshal(result(in))
			w.touch(write)
			return out, err
		}, opts...)
	}
	reg, err := tool.NewRegistry(ptctest.Clock(),
		call("orders", `{"type":"object","properties":{"region":{"type":"string"}},"required":["region"]}`, func(in map[string]any) any {
			n := float64(len(in["region"].(string)))
			return []float64{n, n + 1, n + 2, n + 3}
		}, tool.ReadOnly()),
		call("look", `{"type":"object","properties":{"order":{"type":"integer"}},"required":["order"]}`, func(in map[string]any) any { return in["order"] }, tool.ReadOnly()),
		call("pay", `{"type":"object","required":["order","region"]}`, func(in map[string]any) any { return in["order"].(float64) * 2 }),
		call("report", `{"type":"object","required":["region","sum"]}`, func(in map[string]any) any { return in["sum"] }),
		call("close", `{"type":"object","required":["total"]}`, func(in map[string]any) any { return in }))
	require.NoError(t, err)
	return reg
}

// run runs the program with a journal.
func (w *world) run(t *testing.T, j *journal.Journal) (string, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.stop = cancel
	w.changed.L = &w.mu
	prog, err := ptc.Compile(context.Background(), "p.ptc", interrupted, ptc.Options{Tools: w.tools(t), Limits: ptc.Limits{Workers: 32}})
	require.NoError(t, err)
	res, err := prog.Run(ctx, ptc.RunOptions{Journal: j})
	require.NoError(t, errors.Join(j.Close()))
	if err != nil {
		return "", err
	}
	return res.EDN()
}

// TestResume stops a run at each of many moments, and resumes it from its journal: the value is that of a
// run that was not stopped, and no write has happened twice.
func TestResume(t *testing.T) {
	t.Parallel()
	runs := 100
	switch {
	case testlevel.Small():
		runs = 30
	case *thorough:
		runs = 1000
	}
	dir := t.TempDir()
	begin := func(name string, at int) (*world, string, error) {
		w := &world{writes: map[string]int{}, at: at, path: filepath.Join(dir, name)}
		j, err := journal.Create(w.path, journal.Header{Program: "p.ptc", Source: interrupted, Seed: 7}, journal.Options{})
		require.NoError(t, err)
		text, err := w.run(t, j)
		return w, text, err
	}
	whole, want, err := begin("whole", 0)
	require.NoError(t, err)
	doubts := 0
	for i := range runs {
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		w, _, _ := begin(fmt.Sprint("run-", i), 1+rng.IntN(whole.touches))
		if w.journal == nil {
			continue // the losers of pany were stopped before they could
		}
		path := filepath.Join(dir, fmt.Sprint("resumed-", i))
		require.NoError(t, os.WriteFile(path, w.journal, 0o600))
		var settle []effect.Settlement
		for {
			after := &world{writes: w.kept, path: path}
			j, _, err := journal.Resume(path, settle, journal.Options{})
			require.NoError(t, err)
			got, err := after.run(t, j)
			var e *ptc.Error
			if errors.As(err, &e) && e.Code == diag.InDoubt {
				doubts++
				settle = after.settle(t, path)
				continue
			}
			require.NoError(t, err, "run %d", i)
			assert.Equal(t, want, got)
			break
		}
		assert.Equal(t, whole.writes, w.kept, "run %d", i)
	}
	t.Logf("%d runs, %d writes in doubt", runs, doubts)
	assert.Positive(t, doubts)
}

// settle does what an operator does about writes in doubt: find out whether they happened. A write that
// the last run began and left in doubt does happen, perhaps after that run, so settle waits for it.
func (w *world) settle(t *testing.T, path string) []effect.Settlement {
	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	var settled []effect.Settlement
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range rec.InDoubt() {
		write := e.Name + string(e.Args)
		for e.Session == len(rec.Resumed) && w.writes[write] == 0 {
			w.changed.Wait()
		}
		if w.writes[write] == 0 {
			settled = append(settled, effect.Settlement{ID: e.ID, As: effect.Retry})
			continue
		}
		settled = append(settled, effect.Settlement{ID: e.ID, As: effect.Done, Result: w.result(t, e)})
	}
	return settled
}

// result returns the result of a write.
func (w *world) result(t *testing.T, e journal.Entry) json.RawMessage {
	var in map[string]any
	require.NoError(t, json.Unmarshal(e.Args, &in))
	switch e.Name {
	case "pay":
		return json.RawMessage(fmt.Sprint(in["order"].(float64) * 2))
	case "report":
		return json.RawMessage(fmt.Sprint(in["sum"]))
	}
	return e.Args
}

// TestResumeStoppedChoice resumes a run whose time was over before it was decided which elements would be
// the first: all may be, not only the ones that had begun.
func TestResumeStoppedChoice(t *testing.T) {
	source := `(pquorum 1 (fn [x] (Thread/sleep 300) (if (< x 2) (throw (ex-info "no" {})) :yes)) (range 4))`
	path := filepath.Join(t.TempDir(), "run.journal")
	j, err := journal.Create(path, journal.Header{Program: "p.ptc", Source: source, Seed: 1}, journal.Options{})
	require.NoError(t, err)
	timed := ptc.Options{Limits: ptc.Limits{Workers: 2, Timeout: 100 * time.Millisecond}}
	stopped := runOn(t, source, timed, j)
	require.NoError(t, j.Close())
	require.Contains(t, stopped, "timeout")
	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	opts := ptc.Options{Limits: ptc.Limits{Workers: 2}}
	assert.Equal(t, stopped, runOn(t, source, timed, journal.Replay(rec)))
	j, _, err = journal.Resume(path, nil, journal.Options{})
	require.NoError(t, err)
	resumed := runOn(t, source, opts, j)
	require.NoError(t, j.Close())
	assert.Contains(t, resumed, "yes")
	rec, err = journal.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, resumed, runOn(t, source, opts, journal.Replay(rec)))
}

// TestResumeKeepsSlots resumes a run of eight workers with one: elements that had begun at depth three
// continue, in one slot.
func TestResumeKeepsSlots(t *testing.T) {
	source := `(pmap (fn [i] (pmap (fn [k] (pmap (fn [m] (tool/few {:n m}) [i k m]) (range 3))) (range 3))) (range 3))`
	tools, err := tool.NewRegistry(tool.New("few", "Gives what it is given.",
		func(_ context.Context, in slowArgs) (int, error) { return in.N, nil }, tool.ReadOnly()))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "run.journal")
	j, err := journal.Create(path, journal.Header{Program: "p.ptc", Source: source, Seed: 1}, journal.Options{})
	require.NoError(t, err)
	want := runOn(t, source, ptc.Options{Tools: tools, Limits: ptc.Limits{Workers: 8}}, j)
	require.NoError(t, j.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for kept := 2; kept < len(lines)-2; kept++ { // the header, an effect that has begun at least, not the end
		require.NoError(t, os.WriteFile(path, bytes.Join(lines[:kept], nil), 0o600))
		j, _, err = journal.Resume(path, nil, journal.Options{})
		require.NoError(t, err)
		prog, err := ptc.Compile(context.Background(), "p.ptc", source, ptc.Options{Tools: tools, Limits: ptc.Limits{Workers: 1}})
		require.NoError(t, err)
		res, err := prog.Run(t.Context(), ptc.RunOptions{Journal: j})
		require.NoError(t, j.Close())
		assert.LessOrEqual(t, res.Usage.Parallel.Peak, 1, "%d lines kept", kept)
		if err == nil {
			assert.Equal(t, want, ptctest.Outcome(res, err))
		}
	}
}

// TestResumePrintsOnce interrupts a run in a write, while elements below it have printed: the
// operation prints when it has ended, however often the run is stopped by the write in doubt.
func TestResumePrintsOnce(t *testing.T) {
	source := `(pmap (fn [i] (println i) (tool/pay {:order i})) (range 4))`
	ctx, cancel := context.WithCancel(t.Context())
	pay := tool.New("pay", "Pays.", func(_ context.Context, in struct {
		Order int `json:"order"`
	}) (int, error) {
		if in.Order == 2 {
			cancel()
			<-ctx.Done()
			return 0, ctx.Err()
		}
		return in.Order, nil
	})
	tools, err := tool.NewRegistry(pay)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "run.journal")
	prog, err := ptc.Compile(context.Background(), "p.ptc", source, ptc.Options{Tools: tools, Limits: ptc.Limits{Workers: 1}})
	require.NoError(t, err)
	j, err := journal.Create(path, prog.Header(), journal.Options{})
	require.NoError(t, err)
	_, err = prog.Run(ctx, ptc.RunOptions{Journal: j})
	require.Error(t, err)
	require.NoError(t, j.Close())
	for range 2 {
		j, _, err = journal.Resume(path, nil, journal.Options{})
		require.NoError(t, err)
		res, err := prog.Run(t.Context(), ptc.RunOptions{Journal: j})
		require.ErrorIs(t, err, &ptc.Error{Code: diag.InDoubt})
		assert.Equal(t, "0\n1\n2\n", res.Prints)
		require.NoError(t, j.Close())
	}
	j, rec, err := journal.Resume(path, []effect.Settlement{{ID: "0.1.2#1", As: effect.Done, Result: json.RawMessage("2")}}, journal.Options{})
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprint(rec.Entries), "print")
	res, err := prog.Run(t.Context(), ptc.RunOptions{Journal: j})
	require.NoError(t, err)
	assert.Equal(t, "0\n1\n2\n3\n", res.Prints)
	require.NoError(t, j.Close())
}
