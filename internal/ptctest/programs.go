// This file defines a generator of task programs that see as much of timing as they can,
// for tests of replay and resumption.

package ptctest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Programs writes programs. Each program is a vector of expressions, so that its value shows the results of
// all of them.
type Programs struct {
	rng     *rand.Rand
	pending bool // they ask, and call tools whose calls have to be approved, or end later
	depth   int  // to which their expressions nest
}

// NewPrograms returns the programs of a seed.
func NewPrograms(seed uint64) *Programs {
	return &Programs{rng: rand.New(rand.NewPCG(seed, 17)), depth: 3}
}

// SmallPrograms writes programs that nest less, for tests with many seeds.
func SmallPrograms(seed uint64) *Programs {
	return &Programs{rng: rand.New(rand.NewPCG(seed, 17)), depth: 2}
}

// PendingPrograms writes programs with pending effects.
func PendingPrograms(seed uint64) *Programs {
	return &Programs{rand.New(rand.NewPCG(seed, 19)), true, 3}
}

// pendingLeaf returns an expression with a pending effect.
func (g *Programs) pendingLeaf() string {
	n := g.rng.IntN(5)
	leaf := g.one(fmt.Sprintf(`(ask {:question "n?" :data %d})`, n), `(ask {:question "n?" :options [1 2 "x"]})`,
		fmt.Sprintf("(tool/gate {:n %d})", n), fmt.Sprintf("(tool/gate {:n %d})", 5+n), fmt.Sprintf("(tool/job "+
			"{:n %d})", n),
		fmt.Sprintf("(tool/line {:n %d})", n))
	if g.rng.IntN(2) == 0 {
		return fmt.Sprintf("(try %s (catch Exception e (ex-message e)))", leaf)
	}
	return leaf
}

// Program returns a new program.
func (g *Programs) Program() string {
	var b strings.Builder
	b.WriteString("(def top (atom 0))\n(defn spin [n] (reduce + (range n)))\n")
	if g.rng.IntN(4) == 0 {
		fmt.Fprintf(&b, "(println %s)\n", g.expr(2))
	}
	b.WriteString("[")
	for range 2 + g.rng.IntN(3) {
		b.WriteString(g.expr(g.depth) + "\n ")
	}
	b.WriteString("@top]")
	return b.String()
}

func (g *Programs) n(from, to int) int { return from + g.rng.IntN(to-from+1) }

func (g *Programs) one(of ...string) string { return of[g.rng.IntN(len(of))] }

// expr returns an expression that nests at most so deep.
func (g *Programs) expr(depth int) string {
	if depth <= 0 || g.rng.IntN(5) == 0 {
		return g.leaf()
	}
	e := func() string { return g.expr(depth - 1) }
	switch g.rng.IntN(20) {
	case 17, 18:
		return g.futures(e)
	case 0, 1, 2:
		return fmt.Sprintf("(pmap (fn [x] %s) (range %d))", e(), g.n(1, 6))
	case 3:
		return fmt.Sprintf("(pcalls (fn [] %s) (fn [] %s) (fn [] %s))", e(), e(), e())
	case 4:
		return fmt.Sprintf("(psettle (fn [x] %s) (range %d))", e(), g.n(1, 5))
	case 5:
		return fmt.Sprintf("(pany (fn [x] %s) (range %d))", e(), g.n(1, 4))
	case 6:
		n := g.n(2, 5)
		return fmt.Sprintf("(pquorum %d (fn [x] %s) (range %d))", g.n(1, n), e(), n)
	case 7:
		return fmt.Sprintf("(hedge %d (fn [] %s))", g.n(0, 2), e())
	case 8, 9, 10:
		return fmt.Sprintf("(try (with-limits {%s} %s %s) (catch Exception e (ex-message e)))", g.bounds(), e(), e())
	case 11:
		return fmt.Sprintf("(try [%s %s] (catch Exception e (str \"caught \" (ex-message e))) (finally "+
			"%s))", e(), e(), g.leaf())
	case 12:
		guard := g.one(`host-exclusive "a"`, `host-exclusive "b"`, "global-exclusive", `rate-limited "r" `+
			`{:per-second 3000 :burst 3}`)
		return fmt.Sprintf("(try (%s %s) (catch Exception e (ex-message e)))", guard, e())
	case 13:
		return fmt.Sprintf("(retry {:times 2 :backoff-ms 1 :on #{:exception :tool-failed :busy}} %s)", e())
	case 14:
		return fmt.Sprintf("(let [c (atom 0) xs (map (fn [y] (swap! c inc) y) (range 40))] [%s (first xs) %s "+
			"(count xs) @c])", e(), e())
	case 15:
		return fmt.Sprintf("(vector (with-out-str %s) %s)", e(), e())
	case 16:
		if g.rng.IntN(2) == 0 {
			return fmt.Sprintf("(let [d (java.security.MessageDigest/getInstance \"MD5\") j (java.util.StringJoiner. \",\")] "+
				"(.update d (.getBytes (pr-str %s))) (.add j (pr-str %s)) "+
				"[(format \"%%032x\" (BigInteger. 1 (.digest d))) (str j)])", e(), e())
		}
		return fmt.Sprintf("(let [l (java.util.ArrayList.) m (java.util.HashMap.)] (.add l %s) (.put m (str (.plusDays "+
			"(java.time.LocalDate/of 2024 2 28) %d)) %s) [(vec l) (into {} m)])", e(), g.n(0, 3), e())
	}
	return fmt.Sprintf("(let [r (try %s (catch Exception e :failed))] (println r) [r %s])", e(), e())
}

// futures returns an expression with futures, promises, agents and latches.
func (g *Programs) futures(e func() string) string {
	body := ""
	switch g.rng.IntN(15) {
	case 13:
		body = fmt.Sprintf("(let [n (java.util.concurrent.atomic.AtomicLong.) m (java.util.concurrent.ConcurrentHashMap.) "+
			"fs (mapv (fn [i] (future (.incrementAndGet n) (.merge m (mod i 2) %s (fn [a b] [a b])) (.get n))) (range %d))] "+
			"[(mapv (fn [f] (deref f %d :late)) fs) (.get n) (into (sorted-map) m)])", e(), g.n(1, 5), g.n(1, 4))
	case 14:
		body = fmt.Sprintf("(let [q (java.util.concurrent.LinkedBlockingQueue.) c (future [(.take q) (.take q)])] "+
			"(future (.put q %s) %s (.put q 2)) [(.get (.thenApply c count)) (.poll q)])", e(), e())
	case 11:
		body = fmt.Sprintf("(let [a (ref 10) b (ref 0)] (dotimes [i %d] (future (dosync (when (< 3 @a) %s (alter a - 2) "+
			"(commute b + i)))) (future [@a (dosync (ensure b))])) [(dosync (ref-set a (+ 1 @a)) %s) @(future [@a @b]) @a @b])",
			g.n(1, 5), e(), g.leaf())
	case 12:
		body = fmt.Sprintf("(let [c (atom []) down (fn down [n] (if (zero? n) %s (let [fs (mapv (fn [i] "+
			"(future (swap! c conj "+
			"[n i]) (if (= i 1) (down (dec n)) i))) (range 3))] (mapv deref fs))))] [(down %d) @c])", e(), g.n(1, 10))
	case 10:
		body = fmt.Sprintf("(let [ps (vec (repeatedly %d promise)) m (zipmap ps (range))] (future (deliver (ps 0) %s)) "+
			"[(vals m) (map hash (keys m)) @(ps 0) (pmap (fn [x] (hash (atom %s))) [1 2])])", g.n(1, 14), e(), e())
	case 0:
		body = fmt.Sprintf("(let [a (future %s) b (future %s)] [@b @a])", e(), e())
	case 1:
		body = fmt.Sprintf("(let [c (atom []) fs (mapv (fn [x] (future (let [v %s] (swap! c conj [x v]) v))) (range %d))] "+
			"[(mapv (fn [f] (try @f (catch Exception e (ex-message e)))) fs) @c])", e(), g.n(1, 5))
	case 2:
		body = fmt.Sprintf("(let [c (atom 0) fs (mapv (fn [x] (future %s (swap! c inc))) (range %d))] "+
			"[(mapv (fn [f] (deref f %d :late)) fs) @c])", e(), g.n(1, 5), g.n(0, 4))
	case 3:
		body = fmt.Sprintf("(let [p (promise)] (future (println :got (inc @p)) %s) (future %s (deliver p 1)) "+
			"(future (deliver p 2)) @p)", e(), e())
	case 4:
		body = fmt.Sprintf("(do (future (println %s)) %s)", e(), e())
	case 5:
		body = fmt.Sprintf("(let [a (future %s) b (future [%s @a])] (future (swap! top inc)) @b)", e(), e())
	case 6:
		body = fmt.Sprintf("(let [c (atom [])] @(future (swap! c conj 1) @(future (swap! c conj %s)) (swap! c conj @top)) "+
			"@c)", e())
	case 7:
		body = fmt.Sprintf("(let [a (agent []) b (agent 0)] (dotimes [i %d] (send a conj [i %s]) "+
			"(send-off b (fn [x] (send a conj [@b x]) (swap! top inc) (inc x)))) (await a b) [@a @b (agent-error a)])",
			g.n(1, 4), e())
	case 8:
		body = fmt.Sprintf("(let [a (agent 0 :error-mode :continue)] (future (send a (fn [x] %s (inc x)))) "+
			"(send a (fn [x] [x %s])) [(await-for %d a) @a])", e(), e(), g.n(1, 4))
	case 9:
		body = fmt.Sprintf("(let [l (java.util.concurrent.CountDownLatch. %d) t (Thread. (fn [] %s (.countDown l)))] "+
			"(future %s (.countDown l)) (.start t) (.await l) (.getCount l))", g.n(1, 3), e(), e())
	}
	return "(try " + body + " (catch Exception e (ex-message e)))"
}

// bounds returns one or two bounds of a scope.
func (g *Programs) bounds() string {
	one := func() string {
		switch g.rng.IntN(6) {
		case 0:
			return fmt.Sprintf(":steps %d", g.n(1, 40)*100)
		case 1:
			return fmt.Sprintf(":calls %d", g.n(1, 4))
		case 2:
			return fmt.Sprintf(":bytes %d", g.n(2, 40)*1000)
		case 3:
			return fmt.Sprintf(":workers %d", g.n(1, 3))
		}
		return fmt.Sprintf(":ms %d", g.n(1, 4))
	}
	a := one()
	if b := one(); g.rng.IntN(3) == 0 && strings.Fields(a)[0] != strings.Fields(b)[0] {
		return a + " " + b
	}
	return a
}

func (g *Programs) leaf() string {
	if g.pending && g.rng.IntN(3) == 0 {
		return g.pendingLeaf()
	}
	switch g.rng.IntN(23) {
	case 20:
		// Results that may not fit, with a failure among them.
		return fmt.Sprintf("(try (count (pmap (fn [y] (if (= y %d) (throw (ex-info (str y) {})) (vec (range "+
			"%d)))) (range 14))) (catch Exception e (ex-message e)))",
			g.n(3, 20), g.n(1, 9)*1000)
	case 21:
		return "(let [xs (map (fn [y] (rand-int 5) (* y y)) (range 300))] (pmap (fn [i] (nth xs (* 30 i))) (range 9)))"
	case 22:
		return fmt.Sprintf("(try (with-limits {:steps %d} (count (pmap (fn [y] (spin (* 300 y))) (range 9)))) "+
			"(catch Exception e (ex-message e)))", g.n(1, 12)*1000)
	case 0, 1, 2:
		return fmt.Sprintf("(tool/slow {:n %d})", g.rng.IntN(5))
	case 3:
		return `(tool/few {:n 1})`
	case 4:
		return "(limits)"
	case 5:
		return "(System/currentTimeMillis)"
	case 6:
		return "(rand-int 1000)"
	case 7:
		return fmt.Sprintf("(do (println \"out\" (rand-int %d)) :out)", g.n(2, 100))
	case 8:
		return fmt.Sprintf("(Thread/sleep %d)", g.n(0, 2))
	case 9:
		return fmt.Sprintf("(spin %d)", g.n(1, 300)*100)
	case 10:
		// How far a computation got is seen afterwards.
		return fmt.Sprintf("(let [c (atom 0)] (try (with-limits {%s} (loop [] (swap! c inc) (rand) (if (< @c "+
			"400000) (recur)))) (catch Exception e nil)) [@c (rand-int 99)])",
			g.one(":ms 1", ":ms 2", ":steps 2000", ":ms 1 :steps 90000"))
	case 11:
		return fmt.Sprintf("(let [c (atom 0)] (try (with-limits {:ms %d} (dotimes [i 300] (reset! c (count "+
			"(sort (shuffle (range (* 10 i)))))))) (catch Exception e nil)) @c)", g.n(1, 3))
	case 12:
		return fmt.Sprintf("(let [c (atom [])] (try (with-limits {:ms %d} (dotimes [i 100] (swap! c conj (eval "+
			"(list 'let ['y i] '(-> y inc (+ 2))))))) (catch Exception e nil)) (count @c))", g.n(1, 3))
	case 13:
		return `(throw (ex-info "thrown" {:random (rand-int 10)}))`
	case 14:
		return "(try (swap! top inc) (catch Exception e :not-mine))"
	case 15:
		return fmt.Sprintf("(count (vec (range %d)))", g.n(1, 40)*g.n(1, 40)*50)
	case 16:
		return "(count (frequencies (map (fn [y] (mod (* y y) 97)) (range 2000))))"
	case 17:
		return "(pmap (fn [y] (* y y)) (range 3))"
	case 18:
		if g.rng.IntN(4) == 0 {
			return g.one("(return :early)", `(fail "over")`)
		}
	}
	return fmt.Sprint(g.rng.IntN(100))
}
