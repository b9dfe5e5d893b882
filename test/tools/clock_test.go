package tools

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// clockReadings read the time of day. Those in the text of a program are found before it runs.
var clockReadings = []struct {
	source string
	runs   bool // the program compiles without the grant
}{
	{`(System/currentTimeMillis)`, false},
	{`(java.util.Date.)`, false},
	{`(new java.util.Date)`, false},
	{`(. System currentTimeMillis)`, false},
	{`(if false (System/currentTimeMillis) 1) (pmap (fn [_] (java.util.Date.)) [1])`, false},
	{`(let [now System/currentTimeMillis] (now))`, true},
	{`(@#'System/currentTimeMillis)`, true},
	{`((get (ns-publics 'System) 'currentTimeMillis))`, true},
	{`(apply new/Date [])`, true},
	{`(eval '(java.util.Date.))`, true},
	{`(first (pmap (fn [_] (@#'System/currentTimeMillis)) [1]))`, true},
}

// TestClockGrant reads the time of day in every way: it needs the grant of the tool time.now.
func TestClockGrant(t *testing.T) {
	withheld := &tool.Registry{}
	withheld.Withhold("time.now", "grant it with --allow-time")
	granted, err := tool.NewRegistry(ptctest.Clock())
	require.NoError(t, err)
	for _, c := range clockReadings {
		for hint, tools := range map[string]*tool.Registry{"grant it with --allow-time": withheld, "the host grants it with the tool time.now": nil} {
			p, err := ptc.Compile(context.Background(), "p.ptc", c.source, ptc.Options{Tools: tools})
			if c.runs && assert.NoError(t, err, c.source) {
				_, err = p.Run(t.Context(), ptc.RunOptions{})
			}
			var e *ptc.Error
			require.ErrorAs(t, err, &e, c.source)
			assert.Equal(t, diag.NotGranted, e.Code, c.source)
			assert.Equal(t, "the time of day needs the grant of tool/time.now", e.Message, c.source)
			assert.Equal(t, hint, e.Hint, c.source)
		}
		_, err := ptc.Run(t.Context(), c.source, ptc.Options{Tools: granted})
		assert.NoError(t, err, c.source)
	}
}

// TestElapsedNeedsNoGrant measures how long things take, which tells nothing of the time of day.
func TestElapsedNeedsNoGrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := `[(System/nanoTime) (with-out-str (time (Thread/sleep 5))) (quot (System/nanoTime) 1000000) (inst-ms (java.util.Date. 7))]`
		assert.Equal(t, `[0 "\"Elapsed time: 5 msecs\"\n" 5 7]`, ptctest.Eval(t, source, ptc.Options{}))
		s := ptc.NewSession(ptc.Options{})
		_, err := s.Eval(t.Context(), `(def start (System/nanoTime))`, ptc.EvalOptions{})
		require.NoError(t, err)
		time.Sleep(time.Second)
		res, err := s.Eval(t.Context(), `(- (System/nanoTime) start)`, ptc.EvalOptions{})
		require.NoError(t, err)
		value, err := res.Value()
		require.NoError(t, err)
		assert.EqualValues(t, time.Second, value, "it goes on from one evaluation to the next")
	})
}

// TestClockResumed interrupts a run: in the resumed run the time of day is the recorded one, and the time
// since the beginning does not go back.
func TestClockResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const source = `(def first-ms (System/currentTimeMillis)) (Thread/sleep 10000) (def first-ns (System/nanoTime)) (tool/step)
			[first-ms (inst-ms (java.util.Date.)) first-ns (System/nanoTime)]`
		path := filepath.Join(t.TempDir(), "run.journal")
		begun := time.Now()
		ctx, stop := context.WithCancel(t.Context())
		step := tool.New("step", "Stops the first run.", func(context.Context, struct{}) (int, error) {
			stop()
			return 0, ctx.Err()
		}, tool.ReadOnly())
		tools, err := tool.NewRegistry(ptctest.Clock(), step)
		require.NoError(t, err)
		prog, err := ptc.Compile(context.Background(), "p.ptc", source, ptc.Options{Tools: tools})
		require.NoError(t, err)
		j, err := journal.Create(path, journal.Header{Program: "p.ptc", Source: source, Seed: 1}, journal.Options{})
		require.NoError(t, err)
		_, err = prog.Run(ctx, ptc.RunOptions{Journal: j})
		require.ErrorContains(t, err, "the run was cancelled")
		require.NoError(t, j.Close())
		time.Sleep(time.Hour)

		tools, err = tool.NewRegistry(ptctest.Clock(), tool.New("step", "Goes on.", func(context.Context, struct{}) (int, error) { return 0, nil }, tool.ReadOnly()))
		require.NoError(t, err)
		prog, err = ptc.Compile(context.Background(), "p.ptc", source, ptc.Options{Tools: tools})
		require.NoError(t, err)
		j, _, err = journal.Resume(path, nil, journal.Options{})
		require.NoError(t, err)
		res, err := prog.Run(t.Context(), ptc.RunOptions{Journal: j})
		require.NoError(t, err)
		require.NoError(t, j.Close())
		value, err := res.Value()
		require.NoError(t, err)
		ms, late := begun.UnixMilli(), int64(time.Hour/time.Millisecond)
		assert.Equal(t, []any{ms, ms + 10_000 + late, int64(10 * time.Second), int64(10*time.Second + time.Hour)}, value)

		rec, err := journal.ReadFile(path)
		require.NoError(t, err)
		replay := journal.Replay(rec)
		again, err := prog.Run(t.Context(), ptc.RunOptions{Journal: replay})
		require.NoError(t, err)
		replayed, err := again.Value()
		require.NoError(t, err)
		assert.Equal(t, value, replayed)
	})
}

// TestClockEffects checks that the effects that a program can reach include the clock.
func TestClockEffects(t *testing.T) {
	granted, err := tool.NewRegistry(ptctest.Clock())
	require.NoError(t, err)
	for source, want := range map[string]string{
		`(java.util.Date. 5) (System/nanoTime) (time 1)`:     "",
		`(System/currentTimeMillis)`:                         "time.now at most 1",
		`(dotimes [i 3] (java.util.Date.))`:                  "time.now at most 3",
		`(map (fn [_] (java.util.Date.)) (range 3))`:         "time.now bounded by the data",
		`(pmap (fn [_] (java.util.Date.)) (range 3))`:        "time.now bounded by the data, in parallel",
		`(let [now System/currentTimeMillis] (now))`:         "time.now unknown",
		`(@#'System/currentTimeMillis)`:                      "time.now unknown",
		`(apply (var new/Date) [])`:                          "time.now unknown",
		`(defn f [] (System/currentTimeMillis)) (def x 1) x`: "",
	} {
		found := ptc.Check(context.Background(), "p.ptc", source, ptc.Options{Tools: granted})
		require.NoError(t, found.Err, source)
		assert.Equal(t, want, ptctest.Reaches(found.Effects), source)
	}
}
