package parallel

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
)

// TestCodeOfWorkersIsCharged: functions that workers make by eval keep their code
// alive, and the evaluation that gets them pays for it.
func TestCodeOfWorkersIsCharged(t *testing.T) {
	source := "(count (doall (pmap (fn [i] (eval (list 'fn [] (vec (range 1000))))) (range 1000))))"
	_, err := ptctest.Run(t, source, ptc.Options{Limits: ptc.Limits{Memory: 4 << 20}})
	require.ErrorIs(t, err, &ptc.Error{Code: "memory-exceeded"})
	res, err := ptctest.Run(t, "(count (doall (pmap (fn [i] (count (eval (vec (range 1000))))) (range 1000))))", ptc.Options{Limits: ptc.Limits{Memory: 4 << 20}})
	require.NoError(t, err)
	require.EqualValues(t, 1000, ptctest.ValueOf(res))
}

// TestRunsShareNoTwins: the parts that a run realises of constants that macros made do not affect the next
// run.
func TestRunsShareNoTwins(t *testing.T) {
	p, err := ptc.Compile(context.Background(), "p", `(defmacro later [] (delay (println :realised) 5)) @(later)`, ptc.Options{})
	require.NoError(t, err)
	for range 3 {
		res, err := p.Run(context.Background(), ptc.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, ":realised\n", res.Prints)
	}
}

// TestSessionsRunInParallel: an evaluation that fails in a worker leaves a session as it
// was; objects that workers made belong to the session afterwards.
func TestSessionsRunInParallel(t *testing.T) {
	s := ptc.NewSession(ptc.Options{})
	eval := func(source string) (any, error) {
		res, err := s.Eval(context.Background(), source, ptc.EvalOptions{})
		return ptctest.ValueOf(res), err
	}
	_, err := eval("(def cells (vec (pmap atom (range 4)))) (def fs (vec (pmap (fn [i] (eval (list 'fn [] i))) (range 4))))")
	require.NoError(t, err)
	_, err = eval("(def cells nil) (pmap (fn [i] (throw (ex-info \"no\" {:i i}))) (range 4))")
	require.Error(t, err)
	got, err := eval("(doseq [c cells] (swap! c inc)) [(mapv deref cells) (mapv (fn [f] (f)) fs) (:i (ex-data *e)) (vec (pmap deref cells))]")
	require.NoError(t, err)
	n := func(xs ...int64) (all []any) {
		for _, x := range xs {
			all = append(all, x)
		}
		return all
	}
	require.Equal(t, []any{n(1, 2, 3, 4), n(0, 1, 2, 3), int64(0), n(1, 2, 3, 4)}, got)
	_, err = eval("(pmap (fn [c] (reset! c 0)) cells)")
	require.ErrorIs(t, err, &ptc.Error{Code: "not-owner"})
}
