package replicas

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ptc-lang/ptc/runtime/dist"
)

// TestComputing requires the elements of an operation to be divided only if they may have an effect, or wait.
func TestComputing(t *testing.T) {
	const pay = `(tool/pay {:order i :region "a"})`
	for source, shared := range map[string]bool{
		`(pmap (fn [i] (reduce + (range i))) (range 20))`:                                   false,
		`(defn f [n] (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))) (pmap f (range 9))`:        false,
		`(let [k {:a [1 #{2}] :f inc}] (pmap (fn [i] ((:f k) (:a k) i)) [1 2 3]))`:          false,
		`(pmap (fn [[a b]] (str a b)) {:a 1 :b 2 :c 3})`:                                    false,
		`(pcalls (fn [] 1) (fn [] 2))`:                                                      false,
		`(pmap (fn [i] (reduce + (map inc (filter odd? (range i))))) (list 1 2 3))`:         false,
		`(pmap (fn [i] (re-find #"a+" (str "aa" i))) ["x" "y"])`:                            false,
		`(pmap (fn [i] (pmap inc (range i))) [2 3])`:                                        false,
		`(pmap (fn [i] ` + pay + `) (range 4))`:                                             true,
		`(pmap (fn [i] (if (neg? i) ` + pay + ` i)) (range 4))`:                             true,
		`(defn g [i] ` + pay + `) (defn f [i] (mapv g [i])) (pmap f (range 4))`:             true,
		`(let [g (fn [i] ` + pay + `)] (pmap (fn [i] (g i)) (range 4)))`:                    true,
		`(pmap (fn [f] (f 1)) [(fn [i] ` + pay + `) inc])`:                                  true,
		`(pmap (fn [i] (({:f (fn [i] ` + pay + `)} :f) i)) (range 4))`:                      true,
		`(pmap (fn [f] (f {:order 1 :region "a"})) [tool/pay inc])`:                         true,
		`(pcalls (fn [] 1) (fn [] (Thread/sleep 1)))`:                                       true,
		`(pmap (fn [i] (host-exclusive "a" i)) (range 4))`:                                  true,
		`(pmap (fn [i] (retry {:times 2 :backoff-ms 1} i)) (range 4))`:                      true,
		`(pmap (fn [i] (eval i)) (range 4))`:                                                true,
		`(def a (atom inc)) (pmap (fn [i] (@a i)) (range 4))`:                               true,
		`(defmulti m identity) (defmethod m :default [i] ` + pay + `) (pmap m [1 2])`:       true,
		`(def ^:dynamic *f* inc) (binding [*f* dec] (doall (pmap (fn [i] (*f* i)) [1 2])))`: true,
	} {
		w := newWorld(func() time.Duration { return 0 })
		c := newCluster(t, source, options(t, w), dist.Policy{Elements: 2, Unit: 1}, dist.Faults{}, w)
		c.play(source, 2, nil)
		assert.Equal(t, shared, c.stats.Ran > 0, source)
	}
}
