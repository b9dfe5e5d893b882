// This file tests concurrent runs of one program, and concurrent sessions, some of which are cancelled.

package concurrent

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/lang/diag"
)

// sharedSource uses the objects that runs share: constants of code, functions of the library,
// the hashes that strings remember, and the tables made once.
const sharedSource = `
(defrecord Item [id name])
(defmulti size :kind)
(defmethod size :default [x] (count (str x)))
(def constant {:a [1 2 3] "key" #{:x "y"} 'sym (list 1 2)})
(def ^:dynamic *depth* 0)
(defn walk [n] (binding [*depth* (inc *depth*)] (if (< n 1) *depth* (walk (dec n)))))
(let [items (mapv (fn [i] (->Item i (str "item-" i))) data/numbers)]
  [(reduce + (map :id items)) (sort-by (juxt :name :id) (take 5 items)) (frequencies (map #(mod (:id %) 3) items))
   (hash constant) (size {:kind :b :v constant}) (walk 20) (clojure.string/replace "a1b2" #"\d" "<$0>")
   (eval '(+ 1 2)) (json/write constant) (vec (sort (keys (zipmap (range 50) (range)))))])`

func TestOneProgramManyRuns(t *testing.T) {
	defer goleak.VerifyNone(t)
	prog, err := ptc.Compile(context.Background(), "shared", sharedSource, ptc.Options{Limits: ptc.Limits{Memory: 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	input := func(n int) ptc.RunOptions {
		return ptc.RunOptions{Seed: 1, Data: map[string]any{"numbers": make([]int, n)}}
	}
	want := make([]string, 4)
	for i := range want {
		want[i] = shown(prog.Run(context.Background(), input(10*i)))
	}
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for i := range 20 {
				n := (g + i) % len(want)
				if got := shown(prog.Run(context.Background(), input(10*n))); got != want[n] {
					t.Errorf("beside others: got %s, want %s", got, want[n])
				}
			}
		})
	}
	wg.Wait()
}

// shown returns a result without its times.
func shown(res *ptc.Result, err error) string {
	if err != nil {
		return err.Error()
	}
	text, err := res.EDN()
	return fmt.Sprint(text, err, res.Usage.Steps, res.Usage.Memory, res.Usage.Marks)
}

func TestSessionsBesideEachOther(t *testing.T) {
	defer goleak.VerifyNone(t)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			s := ptc.NewSession(ptc.Options{Limits: ptc.Limits{Memory: 1 << 20}})
			for i := range 25 {
				for source, want := range map[string]string{
					fmt.Sprintf("(def x%d %d)", i, g*i):                             fmt.Sprintf("#'user/x%d", i),
					fmt.Sprintf("(do (def x0 -1) (nth [] %d))", i):                  "",
					"(count (group-by odd? (range 100)))":                           "2",
					fmt.Sprintf("(= %d (reduce + (map inc (range %d))))", i, g+200): "false",
				} {
					res, err := s.Eval(context.Background(), source, ptc.EvalOptions{})
					if want == "" {
						if err == nil {
							t.Errorf("%s: no error", source)
						}
						continue
					}
					if err != nil {
						t.Errorf("%s: %v", source, err)
						continue
					}
					if got, _ := res.EDN(); got != want {
						t.Errorf("%s: got %s, want %s", source, got, want)
					}
				}
			}
			res, err := s.Eval(context.Background(), "x0", ptc.EvalOptions{})
			if err != nil || ptctest.ValueOf(res) != int64(0) {
				t.Errorf("x0: got %v, %v: a form that failed has changed it", ptctest.ValueOf(res), err)
			}
		})
	}
	wg.Wait()
}

func TestCancelAtRandom(t *testing.T) {
	defer goleak.VerifyNone(t)
	prog, err := ptc.Compile(context.Background(), "endless", `(loop [m {}] (recur (into m (map vector (shuffle (range 50)) (sort (map str (range 100)))))))`,
		ptc.Options{Limits: ptc.Limits{Memory: 1 << 20, Steps: 1 << 50, Timeout: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(g)))
			for range 10 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rng.IntN(5_000))*time.Microsecond)
				_, err := prog.Run(ctx, ptc.RunOptions{})
				cancel()
				var e *ptc.Error
				if !errors.As(err, &e) || e.Code != diag.Cancelled && e.Code != diag.Timeout {
					t.Errorf("got %v, want an error of code cancelled or timeout", err)
				}
			}
		})
	}
	wg.Wait()
}
