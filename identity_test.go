package ptc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
)

// TestIdentityLinear has maps and sets keyed by objects that are only equal to themselves: the steps grow with their
// number, and not with its square.
func TestIdentityLinear(t *testing.T) {
	steps := func(key, n string) int64 {
		prog, err := ptc.Compile(t.Context(), "p.ptc", `(deftype T [x])
(let [ks (mapv (fn [i] `+key+`) (range `+n+`)) m (zipmap ks (range)) s (set ks)]
  (when-not (and (every? (fn [i] (= i (m (ks i)))) (range `+n+`)) (every? s ks))
    (throw (ex-info "lost" {}))))`, ptc.Options{})
		require.NoError(t, err)
		res, err := prog.Run(t.Context(), ptc.RunOptions{})
		require.NoError(t, err)
		return res.Usage.Steps
	}
	for _, key := range []string{"(atom i)", "(promise)", "(future i)", "(agent i)", "(volatile! i)", "(ref i)", "(T. i)",
		"(reify Object (toString [_] \"x\"))", "(object-array 1)", "(StringBuilder.)", "(java.util.Random. 1)"} {
		few, many := steps(key, "1000"), steps(key, "10000")
		require.Less(t, many, 14*few, key)
	}
}

// TestIdentityStable checks that identity hashes are the same in every run, whatever its seed and its
// number of workers, and that they differ between the elements of an operation.
func TestIdentityStable(t *testing.T) {
	const source = `(defn own [_] (hash (atom 1)))
(let [hs (into [(own 1) (own 1) @(future (own 1))] (concat (pmap own (range 40)) (mapcat (fn [_] (pmap own (range 3))) [1 2])
           (pmap (fn [_] (reduce + (range 1000)) (first (pmap own [1]))) (range 5))))]
  [(apply distinct? hs) (System/identityHashCode (atom 1)) hs (keys (zipmap (map atom (range 20)) (range)))])`
	var want string
	for seed := range uint64(6) {
		prog, err := ptc.Compile(t.Context(), "p.ptc", source, ptc.Options{Limits: ptc.Limits{Workers: int(seed)%4 + 2}})
		require.NoError(t, err)
		res, err := prog.Run(t.Context(), ptc.RunOptions{Seed: seed + 1})
		require.NoError(t, err)
		got, err := res.EDN()
		require.NoError(t, err)
		if want == "" {
			want = got
		}
		require.Equal(t, want, got)
		require.Contains(t, got, "[true ")
	}
}

// TestApplyHoldsNothing has sequences larger than the bound on memory as arguments.
func TestApplyHoldsNothing(t *testing.T) {
	prog, err := ptc.Compile(t.Context(), "p.ptc", `(defn most [xs] (apply max xs))
[(most (map inc (range 300000))) (let [xs (map inc (range 300000))] (apply + 1 xs)) (apply min (iterator-seq (.iterator (range 300000))))
 (apply str (map (fn [x] nil) (range 200000))) (apply < (map inc (range 200000)))]`,
		ptc.Options{Limits: ptc.Limits{Memory: 4 << 20}})
	require.NoError(t, err)
	res, err := prog.Run(t.Context(), ptc.RunOptions{})
	require.NoError(t, err)
	got, err := res.EDN()
	require.NoError(t, err)
	require.Equal(t, `[300000 45000150001 0 "" true]`, got)
}
