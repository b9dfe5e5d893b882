package parallel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

// drift runs OP N times and returns figures about the account of the waiting evaluation: the free memory
// before and after, each time after a mark, and the minimum and the maximum of one operation. It does so
// twice: with the results dropped, and kept. The first operation after a mark makes closures that the later
// ones use again.
const drift = `
(defn free [] (:bytes (limits)))
(defn marked [] (count (vec (range 4000))) (with-limits {:bytes 80000} nil) (free))
(defn op [] (try OP (catch Throwable e (ex-message e))))
(defn try-op [] (loop [n 0 least 1000000000 most 0]
  (if (= n N)
    [least most]
    (let [f (free) _ (op) taken (- f (free))]
      (recur (inc n) (min least taken) (max most taken))))))
(op) (op)
(let [before (marked)
      _ (op)
      [least most] (try-op)
      after (marked)
      before-kept (marked)
      kept (vec (repeatedly N op))
      charged (- before-kept (free))
      after-kept (marked)]
  [before after least most charged (- before-kept after-kept) (count kept)])`

// accounted are operations that end in every way. An operation whose elements run to their end whatever the
// timing always takes the same from the account.
var accounted = []struct {
	name, op string
	n        int
	steady   bool
}{
	{"pmap", `(pmap (fn [i] [i (str i)]) (range 20))`, 1000, true},
	{"pmap over two", `(pmap vector [1 2 3] '(4 5 6))`, 1000, true},
	{"pcalls", `(pcalls (fn [] (vec (range 40))) (fn [] (str "a" "b")))`, 1000, true},
	{"pvalues", `(pvalues [1 2] {:a (list 1 2)})`, 1000, true},
	{"nested", `(pmap (fn [i] (pmap (fn [k] [i k]) (range 4))) (range 4))`, 500, false},
	{"prints", `(with-out-str (dorun (pmap (fn [i] (println "element" i)) (range 8))))`, 500, true},
	{"the last fails", `(pmap (fn [i] (if (= i 9) (throw (ex-info "x" {:i [i]})) [i])) (range 10))`, 1000, false},
	{"one fails", `(pmap (fn [i] (if (= i 2) (throw (ex-info "x" {:i [i]})) [i])) (range 50))`, 1000, false},
	{"psettle", `(psettle (fn [i] (if (odd? i) (throw (ex-info "x" {:i [i]})) [i])) (range 10))`, 1000, true},
	{"pany", `(pany (fn [i] (if (< i 3) (throw (ex-info "x" {})) [i])) (range 10))`, 1000, false},
	{"pany of none", `(pany (fn [i] (throw (ex-info "x" {:i i}))) (range 4))`, 1000, false},
	{"pquorum", `(pquorum 3 (fn [i] [i (str i)]) (range 10))`, 1000, false},
	{"hedge", `(hedge 1000 (fn [] (vec (range 40))))`, 1000, true},
	{"a worker's memory", `(pmap (fn [i] (vec (range 40000))) (range 2))`, 100, false},
	{"a worker's depth", `(pmap (fn f [i] (inc (f i))) (range 2))`, 20, false},
	{"results that do not fit", `(with-limits {:bytes 50000} (pmap (fn [i] (vec (range 500))) (range 40)))`, 200, false},
	{"cancelled by the time", `(with-limits {:ms 2} (pmap (fn [i] (loop [] (recur))) (range 4)))`, 40, false},
	{"cancelled by steps", `(with-limits {:steps 5000} (pmap (fn [i] (loop [] (recur))) (range 4)))`, 200, false},
	{"cancelled deep below", `(pany (fn [i] (if (= i 0) (do (Thread/sleep 1) :won) (pmap (fn [k] (loop [] (recur))) (range 2)))) (range 2))`, 40, false},
	{"no slot", `(pmap (fn [i] (pmap (fn [k] (pmap (fn [j] (pmap inc [1])) [1])) [1])) [1])`, 200, true},
}

// TestAccountAfterOperations: whatever the outcome of operations, the account of the waiting evaluation
// equals the finding of a mark afterwards, and includes the kept values.
func TestAccountAfterOperations(t *testing.T) {
	for _, workers := range []int{3, 8} {
		for _, c := range accounted {
			n := c.n
			switch {
			case testlevel.Small():
				n = max(n/10, 5)
			case !*thorough: // enough for 8 bytes for each operation to exceed 64 in all
				n = max(n/5, 20)
			}
			source := strings.NewReplacer("OP", c.op, "N", fmt.Sprint(n)).Replace(drift)
			res, err := ptctest.Run(t, source, ptc.Options{Limits: ptc.Limits{Workers: workers,
				WorkerMemory: 1 << 19, Depth: 3000, Memory: 1 << 30}})
			require.NoError(t, err, c.name)
			v := ptctest.ValueOf(res).([]any)
			before, after, least, most := v[0].(int64), v[1].(int64), v[2].(int64), v[3].(int64)
			charged, held := v[4].(int64), v[5].(int64)
			t.Logf("%d workers, %-24s takes %d to %d bytes; %d after %d; kept: %d charged, %d held", workers, c.name, least, most, before-after, n, charged, held)
			require.InDelta(t, before, after, 64.0, "%s: bytes free before and after", c.name)
			require.GreaterOrEqual(t, charged, held, "%s: charged and held", c.name)
			if c.steady {
				require.LessOrEqual(t, most-least, int64(64), "%s: what an operation takes", c.name)
			}
		}
	}
}
