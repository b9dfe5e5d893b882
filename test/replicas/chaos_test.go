package replicas

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/dist"
)

var programs = []string{
	`(reduce + (pmap (fn [i] (tool/pay {:order (+ 20 i) :region "x"})) (range 60)))`,
	`(let [a (mapv #(tool/pay {:order % :region "main"}) (range 4)) b (pmap (fn [i] (mapv #(tool/pay {:order (+ 20 i %) :region "el"}) (range 3))) (range 20))] [a b (tool/pay {:region "end" :order (reduce + (flatten b))})])`,
	// Values that are no data, and errors.
	`(defn mk [i] (let [a (tool/pay {:order (+ 20 i) :region "a"})] (fn [] a))) (let [fs (pmap mk (range 20))] (println (count fs)) (mapv #(%) fs))`,
	`(try (pmap (fn [i] (tool/pay {:order (+ 5 i) :region "e"})) (range 20)) (catch Exception e [(ex-message e) (tool/pay {:order 1 :region "after"})]))`,
	`(mapv #(or (:ok %) (:code (:error %))) (psettle (fn [i] (tool/pay {:order (+ 5 i) :region "s"})) (range 20)))`,
	`(pmap (fn [i] (tool/pay {:order (+ 3 i) :region "u"})) (range 30))`,
	`(defrecord P [x y]) (let [ps (pmap (fn [i] (->P i (tool/pay {:order (+ 20 i) :region "r"}))) (range 20))] [(map :y ps) (first ps)])`,
	`(with-out-str (dorun (pmap (fn [i] (print i (tool/pay {:order (+ 20 i) :region "p"}) "") (rand-int 100)) (range 20))))`,
	`(pmap (fn [i] (println i) (pmap (fn [k] (tool/pay {:order (+ 20 i k) :region "n"})) (range 12))) (range 6))`,
	`(let [s (map (fn [i] (tool/look {:order i :region ""})) (range 12))] (pmap (fn [i] (+ (nth s i) (tool/pay {:order (+ 20 i) :region "l"}))) (range 12)))`,
	`(let [x (pmap (fn [i] (map (fn [k] (tool/pay {:order (+ 20 i k) :region "lazy"})) (range 2))) (range 9))] (doall (map doall x)))`,
	`(pmap (fn [i] (if (= i 9) (return [:early (tool/pay {:order 1 :region "ret"})]) (tool/pay {:order (+ 20 i) :region "q"}))) (range 20))`,
	`[(pmap (fn [r] (reduce + (pmap (fn [i] (tool/pay {:order (+ 20 i) :region r})) (range 16)))) ["a" "b" "c"]) (tool/pay {:order 1 :region "end"})]`,
	`(mapv (fn [r] (try (host-exclusive r (pmap (fn [i] (tool/pay {:order (+ 6 i) :region r})) (range 9))) (catch Exception e (ex-message e)))) ["a" "b"])`,
	`(try (with-limits {:calls 9} (pmap (fn [i] (tool/pay {:order (+ 20 i) :region "c"})) (range 20))) (catch Exception e [(ex-message e) (tool/pay {:order 1 :region "over"})]))`,
	`(pmap (fn [i] (tool/gate {:order (+ 20 i) :region "gate"})) (range 10))`,
	`[(ask {:question "go?"}) (pmap (fn [i] [(ask {:question "sure?"}) (tool/pay {:order (+ 20 i) :region "ask"})]) (range 8))]`,
}

// chance are the programs whose outcome depends in part on timing.
var chance = map[int]bool{14: true}

func options(t *testing.T, w *world) func(p *process) ptc.Options {
	return func(p *process) ptc.Options {
		return ptc.Options{Tools: w.tools(t, p), Limits: ptc.Limits{Workers: 16, Timeout: time.Hour}}
	}
}

// alone returns how a program ends on one node without a log.
func alone(t *testing.T, source string) string {
	w := newWorld(func() time.Duration { return 0 })
	var prints strings.Builder
	prog, err := ptc.Compile(context.Background(), "p.ptc", source, options(t, w)(&process{}))
	require.NoError(t, err)
	res, err := prog.Run(context.Background(), ptc.RunOptions{Seed: 7, OnPending: w.settle,
		Output: func(p ptc.Print) { prints.WriteString(p.Text) }})
	return prints.String() + outcome(res, err)
}

// count returns the number of seeds of a test.
func count(short int) int {
	switch {
	case *seeds > 0:
		return *seeds
	case *thorough:
		return 80 * short
	case testing.Short(): // with the race detector
		return short / 12
	case !testlevel.All():
		return short / 4
	}
	return short
}

// sums are the counts of many runs.
type sums struct {
	mu                             sync.Mutex
	runs, kills, writes, restarts  int
	ran, taken, repeated, followed int64
}

func (s *sums) add(c *cluster) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs++
	s.kills += c.kills
	s.writes += len(c.world.times)
	s.restarts += len(c.restarts)
	s.ran, s.taken = s.ran+c.stats.Ran, s.taken+c.stats.Taken
	s.repeated, s.followed = s.repeated+c.stats.Repeated, s.followed+c.stats.Followed
}

// each runs a test with n seeds, some concurrently, and logs their sums.
func each(t *testing.T, n int, one func(t *testing.T, seed int) *cluster) {
	var all sums
	t.Run("seeds", func(t *testing.T) {
		for i := range n {
			seed := *firstOne + i
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				all.add(one(t, seed))
			})
		}
	})
	t.Logf("%d runs, %d kills, %d writes, %d restarts; elements: %d run, %d taken, %d repeated, %d followed", all.runs,
		all.kills, all.writes, all.restarts, all.ran, all.taken, all.repeated, all.followed)
}

// TestWrites has programs with writes executed by several nodes that die.
func TestWrites(t *testing.T) {
	wants := make([]string, len(programs))
	for k, source := range programs {
		wants[k] = alone(t, source)
	}
	each(t, count(125), func(t *testing.T, seed int) *cluster {
		rng := rand.New(rand.NewPCG(uint64(seed), 99))
		k := seed % len(programs)
		w := newWorld(func() time.Duration { return time.Duration(rand.IntN(400)) * time.Microsecond })
		f := dist.Faults{Delay: time.Duration(rng.IntN(3)) * 100 * time.Microsecond, Seed: uint64(seed)}
		if rng.IntN(3) == 0 {
			f.LostAcks, f.Refused, f.Doubled = 0.1, 0.1, 0.1
		}
		c := newCluster(t, programs[k], options(t, w), dist.Policy{Elements: 2, Unit: 1 + rng.IntN(4)}, f, w)
		c.decide = w.settle
		got := c.play(fmt.Sprintf("seed %d, program %d", seed, k), []int{1, 2, 3, 5}[rng.IntN(4)], func() {
			if seed%4 > 0 {
				c.chaos(rng, 1+rng.IntN(4), 3*time.Millisecond)
			}
		})
		if !chance[k] {
			require.Equal(t, wants[k], got, "seed %d, program %d\n%s\n%s\n%s", seed, k, c.source, strings.Join(c.restarts, "\n"),
				c.log.Describe())
		}
		for key, n := range w.times {
			require.Equal(t, 1, n, "seed %d: %s was done %d times\n%s", seed, key, n, c.log.Describe())
		}
		return c
	})
}
