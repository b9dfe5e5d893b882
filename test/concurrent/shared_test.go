// This file tests that runs share nothing that one of them can change, and nothing that grows with the
// number of programs.

package concurrent

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

// everyKind makes and changes a value of each kind that has a state, and asks for
// names, patterns, types and methods at run time. Each XX is replaced.
const everyKind = `
(defprotocol PXX (put [_ x]) (look [_]))
(deftype TXX [^:unsynchronized-mutable x] PXX (put [_ y] (set! x y)) (look [_] x) Object (toString [_] (str "T" x)))
(defrecord RXX [aXX])
(defmulti areaXX :kindXX)
(defmethod areaXX :squareXX [s] (* (:side s) (:side s)))
(def ^:dynamic *depthXX* 0)
(defmacro twiceXX [x] (list 'do x x))
(derive ::aXX ::bXX)
(def counterXX (atom 0 :validator number?))
(add-watch counterXX :wXX (fn [_ _ _ n] (when (= n 2) (swap! counterXX inc))))
(let [t (TXX. 1) a (object-array 2) b (StringBuilder.) m (memoize (fn [x] (str "kXX" x))) d (delay (swap! counterXX inc))]
  (put t (look t))
  (aset a 0 (str t))
  (.append b "xXX") (.append b 1)
  (eval '(def madeXX (twiceXX (inc 1))))
  (intern *ns* 'otherXX 5)
  [(aget a 0) (str b) (m 1) @d @d @counterXX (alter-var-root #'counterXX identity)
   (binding [*depthXX* 1] (set! *depthXX* 2) (with-bindings* {#'*depthXX* 3} (fn [] *depthXX*)))
   (:aXX (->RXX 1)) (areaXX {:kindXX :squareXX :side 2}) (isa? ::aXX ::bXX) (name (keyword (str "kwXX" 1)))
   (re-find (re-pattern (str "xXX" "\\d*")) "xXX1") (symbol? (gensym "gXX")) (format "%05d" 12)
   @(resolve 'otherXX) (count (ns-publics *ns*)) (sort-by - [1 3 2]) (reduce + (map inc (range 100)))
   (with-out-str (print "pXX")) (try (throw (ex-info "eXX" {:aXX 1})) (catch Exception e (ex-data e)))
   (into (sorted-map-by (fn [x y] (compare y x))) {1 2 3 4}) (transduce (map inc) + [1 2])])`

func TestProgramRunAtOnce(t *testing.T) {
	prog, err := ptc.Compile(context.Background(), "every", strings.ReplaceAll(everyKind, "XX", "1"), ptc.Options{Limits: ptc.Limits{Memory: 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	results := make([]string, 8)
	var running sync.WaitGroup
	for i := range results {
		running.Go(func() {
			for range 5 {
				res, err := prog.Run(context.Background(), ptc.RunOptions{Seed: 1})
				if err != nil {
					t.Error(err)
					return
				}
				if results[i], err = res.EDN(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	for _, got := range results {
		if got != results[0] {
			t.Errorf("runs of one program gave\n%s\n%s", got, results[0])
		}
	}
}

func TestProcessDoesNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a thousand programs")
	}
	testlevel.System(t)
	run := func(from, n int) uint64 {
		for i := from; i < from+n; i++ {
			source := strings.ReplaceAll(everyKind, "XX", fmt.Sprint("n", i))
			if _, err := ptc.Run(context.Background(), source, ptc.Options{Limits: ptc.Limits{Memory: 1 << 20}}); err != nil {
				t.Fatal(err)
			}
		}
		var mem runtime.MemStats
		for range 3 { // pools are emptied by the second collection
			runtime.GC()
		}
		runtime.ReadMemStats(&mem)
		return mem.HeapAlloc
	}
	before := run(0, 100)
	const programs = 1000
	// Less than a name for each program may stay.
	if after := run(100, programs); after > before+16*programs {
		t.Errorf("%d programs left %d bytes", programs, after-before)
	}
}
