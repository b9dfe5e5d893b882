// This file tests the stacks and the account of the machine when instructions unwind.

package machine

import (
	"strings"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// started returns a machine that is ready to run a program under a memory cap.
func started(t *testing.T, c compiled, memory int64) *Machine {
	t.Helper()
	return c.begin(limits.Limits{Memory: memory, Timeout: time.Minute}.OrDefault(), nil)
}

// fill makes the account full, so that the next charge is refused.
func fill(m *Machine) { m.SetUsed(m.Cap()) }

func TestFormsWithAFullAccount(t *testing.T) {
	// Each form allocates at the same place of its code and makes no step.
	c := mustCompile(t, "(vector 1 2) (vector 3 4) (vector 5 6)")
	m := started(t, c, limits.MinMemory)
	for i, p := range c.protos {
		fill(m)
		if v, err := m.Run(p); err != nil || m.Count(v) != 2 {
			t.Fatalf("form %d: %v", i, err)
		}
	}
	if m.Marks() != len(c.protos) {
		t.Errorf("%d marks, want one a form", m.Marks())
	}
}

func TestUpcallsOfFormsAreApart(t *testing.T) {
	c := mustCompile(t, `
(def a (reify Object (toString [_] "one")))
(def b (reify Object (toString [_] "two")))
(println (str a))
(println (str b))
(str a b a)`)
	var out strings.Builder
	v, err := c.run(c.begin(limits.Default(), &out))
	if err != nil || v.AsString().S != "onetwoone" || out.String() != "one\ntwo\n" {
		t.Errorf("got %v, %v and %q", v, err, out.String())
	}
}

func TestUpcallsUnderRefusal(t *testing.T) {
	c := mustCompile(t, `
(deftype Num [n] Comparable (compareTo [_ o] (compare n (.-n o))))
(defn sorted [] (vec (map #(.-n %) (sort [(Num. 3) (Num. 1) (Num. 2)]))))
(sorted)`)
	m := started(t, c, limits.MinMemory)
	for _, p := range c.protos[:len(c.protos)-1] {
		if _, err := m.Run(p); err != nil {
			t.Fatal(err)
		}
	}
	last := c.protos[len(c.protos)-1]
	for range 3 {
		fill(m)
		v, err := m.Run(last)
		if err != nil {
			t.Fatal(err)
		}
		if got := value.Show(&m.Task, v); got != "[1 2 3]" {
			t.Errorf("got %s", got)
		}
		if len(m.memos) != 0 {
			t.Errorf("%d builtins still wait", len(m.memos))
		}
	}
}

func TestExceptionLeavesNothingOpen(t *testing.T) {
	for name, source := range map[string]string{
		"binding":       `(def ^:dynamic *x* 1) (binding [*x* 2] (throw (ex-info "e" {})))`,
		"with-bindings": `(def ^:dynamic *x* 1) (with-bindings* {#'*x* 2} (fn [] (throw (ex-info "e" {}))))`,
		"with-out-str":  `(with-out-str (throw (ex-info "e" {})))`,
		"upcall":        `(str (reify Object (toString [_] (throw (ex-info "e" {})))))`,
		"lazy":          `(str (map (fn [_] (throw (ex-info "e" {}))) [1]))`,
		"delay":         `@(delay (throw (ex-info "e" {})))`,
	} {
		t.Run(name, func(t *testing.T) {
			c := mustCompile(t, source)
			m := started(t, c, 1<<20)
			_, err := c.run(m)
			if err == nil || err.Message != "e" {
				t.Fatalf("got %v", err)
			}
			if len(m.dyn) != 0 || len(m.outs) != 0 || len(m.memos) != 0 {
				t.Errorf("%d bindings, %d captures, %d builtins are left", len(m.dyn), len(m.outs), len(m.memos))
			}
			if v, err := m.Run(mustCompile(t, "(+ 1 2)").protos[0]); err != nil || v.AsInt() != 3 {
				t.Errorf("afterwards: %v, %v", v, err)
			}
		})
	}
}

func TestMarkLetsGo(t *testing.T) {
	for name, source := range map[string]string{
		"head of a sequence":     `(let [s (map inc (range 60000))] (reduce + s))`,
		"argument":               `(defn total [s] (reduce + 0 s)) (total (map inc (range 60000)))`,
		"captured by a lazy seq": `(defn f [s] (lazy-seq (cons (first s) (f (rest s))))) (reduce + (take 60000 (f (range))))`,
		"local of a loop":        `(loop [i 0 v nil] (if (< i 5000) (recur (inc i) (vec (range 32))) (count v)))`,
		"global set anew":        `(def g nil) (dotimes [i 5000] (def g (vec (range 32)))) (count g)`,
		"refs":                   `(let [r (ref nil) s (ref 0)] (dotimes [i 5000] (dosync (ref-set r (vec (range 32))) (commute s + (count @r)))) @s)`,
		"cells":                  `(let [a (atom nil) v (volatile! nil)] (dotimes [i 5000] (reset! a (vec (range 32))) (vreset! v @a)) (count @v))`,
		"array":                  `(let [a (object-array 1)] (dotimes [i 5000] (aset a 0 (vec (range 32)))) (count (aget a 0)))`,
		"mutable field": `(defprotocol P (put [_ x]) (look [_]))
(deftype T [^:unsynchronized-mutable x] P (put [_ y] (set! x y)) (look [_] x))
(let [t (T. nil)] (dotimes [i 5000] (put t (vec (range 32)))) (count (look t)))`,
		"string builder": `(let [b (StringBuilder.)] (dotimes [i 5000] (.append b "0123456789") (.setLength b 0)) (.length b))`,
	} {
		t.Run(name, func(t *testing.T) {
			c := mustCompile(t, source)
			m := started(t, c, limits.MinMemory)
			if _, err := c.run(m); err != nil {
				t.Error(err)
			}
			if m.Marks() == 0 {
				t.Error("the account was never full: the test shows nothing")
			}
		})
	}
}

func TestMarkKeeps(t *testing.T) {
	// Live values must stay in the account however often they are marked: a value that is reachable only
	// through an object of an unmarked kind would drop out of it.
	for name, holder := range map[string]string{
		"atom": "(atom x)", "ref": "(ref x)", "ref's metadata": "(ref 1 :meta {:x x})", "volatile": "(volatile! x)", "reduced": "(reduced x)", "array": "(object-array [x])",
		"array of arrays": "(to-array-2d [[x]])", "object": "(->T x)", "record": "(->R x nil)", "record's other": "(assoc (->R 1 2) :z x)",
		"reify": "(reify clojure.lang.IDeref (deref [_] x))", "closure": "(fn [] x)", "delay": "(doto (delay x) deref)",
		"pending delay": "(delay x)", "lazy": "(lazy-seq [x])", "exception": "(ex-info \"\" {:x x})", "metadata": "(with-meta [1] {:x x})",
		"object's metadata": "(with-meta (reify clojure.lang.IObj (meta [_] nil) (withMeta [_ m] [m])) {:x x})",
		"sorted map":        "(sorted-map 1 x)", "transient": "(transient [x])", "queue": "(conj clojure.lang.PersistentQueue/EMPTY x)",
		"tagged": "(tagged-literal 'a x)", "local var": "(with-local-vars [v x] v)", "entry": "(first {1 x})", "vector's seq": "(seq [1 x])",
		"watch": "(doto (atom 1) (add-watch x (fn [& _])))", "validator": "(atom 1 :validator (fn [_] (some? x)))",
		"namespace's var": "(intern *ns* 'kept x)", "memoized": "(doto (memoize (fn [_] x)) (apply [1]))",
	} {
		t.Run(name, func(t *testing.T) {
			c := mustCompile(t, "(defrecord R [a b]) (deftype T [a])\n(def held (let [x (vec (range 2000))] "+holder+"))")
			m := started(t, c, 1<<20)
			if _, err := c.run(m); err != nil {
				t.Fatal(err)
			}
			// A vector of 2000 integers takes more than 32,000 bytes.
			if live := m.Mark() - m.OwnBytes(); live < 32_000 {
				t.Errorf("%d bytes are live", live)
			}
		})
	}
}

func TestImportWithinSteps(t *testing.T) {
	// The first import stays live, the second finds the account full, and marking takes the remaining steps,
	// which must not unwind to the caller.
	c := mustCompile(t, "1")
	for steps := int64(1000); steps < 30_000; steps += 250 {
		m := c.begin(limits.Limits{Memory: 1 << 20, Steps: steps}.OrDefault(), nil)
		m.Link(append(c.env.Globals, c.env.Globals...))
		m.globals = append(m.globals[:0], value.Nil)
		for range 2 {
			v, err := m.Import(func(t *value.Task) (value.Value, *diag.Error) {
				vals := t.Vals(8500)
				for i := range vals {
					t.Work(1)
					vals[i] = t.String("abcdefgh")
				}
				return t.VectorFrom(vals), nil
			})
			if err != nil && err.Code != diag.MemoryExceeded && err.Code != diag.StepsExceeded {
				t.Errorf("%d steps: %v", steps, err)
			}
			m.globals[0] = v
		}
	}
}

func TestFailureWhileFailing(t *testing.T) {
	// The upcall finds the account full, and the mark for it takes the last steps.
	c := mustCompile(t, `(def kept [(reify Object (toString [_] "x")) (mapv vector (range 40000))]) (str (nth kept 0))`)
	l := limits.Limits{Memory: 16 << 20}.OrDefault()
	for range 2 {
		m := c.begin(l, nil)
		if _, err := m.Run(c.protos[0]); err != nil {
			t.Fatal(err)
		}
		fill(m)
		_, err := m.Run(c.protos[1])
		if few := l.Steps != limits.Default().Steps; !few && err != nil ||
			few && (err == nil || err.Code != diag.StepsExceeded) {
			t.Fatalf("within %d steps: %v", l.Steps, err)
		}
		l.Steps = m.Steps() - 1000
	}
}

func TestReset(t *testing.T) {
	c := mustCompile(t, `(defn f [n] (if (zero? n) 0 (inc (f (dec n))))) (f 20000) (dotimes [i 1000] (intern *ns* (symbol (str "x" i)) i))`)
	m := started(t, c, 16<<20)
	if _, err := c.run(m); err != nil {
		t.Fatal(err)
	}
	m.Reset()
	if len(m.stack) != firstStack || len(m.frames) != firstFrames || cap(m.globals) > firstStack || m.env != nil ||
		m.Used() != 0 {
		t.Errorf("kept %d slots, %d frames, room for %d globals, names %v, %d bytes", len(m.stack), len(m.frames), cap(m.globals), m.env, m.Used())
	}
	for _, v := range m.stack {
		if !v.IsNil() {
			t.Fatal("a value was kept")
		}
	}
}
