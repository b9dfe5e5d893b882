// This file defines a generator of programs whose evaluations share objects: objects of
// java.util.concurrent, and objects that evaluations must not share. The outcome of such a program depends
// neither on timing nor on the number of workers.

package ptctest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// sharedObjects are the definitions with which the programs begin.
const sharedObjects = `
(import '[java.util.concurrent.atomic AtomicLong AtomicInteger AtomicReference AtomicBoolean LongAdder]
  '[java.util.concurrent ConcurrentHashMap LinkedBlockingQueue ArrayBlockingQueue CountDownLatch Semaphore Executors
    CopyOnWriteArrayList ConcurrentSkipListMap ConcurrentLinkedQueue CompletableFuture TimeUnit]
  '[java.util.concurrent.locks ReentrantLock])
(defmacro safe [x] (list 'try x '(catch Throwable e [(.getSimpleName (class e)) (ex-message e)])))
(def al (AtomicLong.)) (def ai (AtomicInteger. 2147483640)) (def ar (AtomicReference. [])) (def ab (AtomicBoolean. false))
(def la (LongAdder.)) (def chm (ConcurrentHashMap.)) (def skip (ConcurrentSkipListMap.)) (def q (LinkedBlockingQueue.))
(def bq (ArrayBlockingQueue. 2)) (def clq (ConcurrentLinkedQueue.)) (def cow (CopyOnWriteArrayList.)) (def latch (CountDownLatch. 3))
(def sem (Semaphore. 2)) (def lock (ReentrantLock.)) (def ag (agent [])) (def pr (promise)) (def cf (CompletableFuture.))
(def at (atom [])) (def rf (ref 0)) (def vol (volatile! 0)) (def lst (java.util.ArrayList.)) (def hm (java.util.HashMap.))
(def sb (StringBuilder.)) (def arr (long-array 3)) (def rnd (java.util.Random. 7)) (def ex (Executors/newFixedThreadPool 2))
(def df (java.text.DecimalFormat. "0.0")) (def pq (java.util.PriorityQueue.)) (def sj (java.util.StringJoiner. ","))
`

// sharedLeaves are expressions that see or change the objects; a % is a small number.
var sharedLeaves = strings.Split(strings.TrimSpace(`
(.incrementAndGet al)
(.getAndAdd al %)
(.get al)
(.compareAndSet al % %)
(.updateAndGet al (fn [x] (+ 1 (* 2 (mod x 1000)))))
(.accumulateAndGet al % max)
(.addAndGet ai %)
(.updateAndGet ar (fn [v] (conj v %)))
(.getAndSet ar [%])
(count (.get ar))
(.compareAndSet ab false true)
(.add la %)
(.sumThenReset la)
(.put chm % %)
(.merge chm % % +)
(.computeIfAbsent chm % (fn [k] (.incrementAndGet al)))
(.compute chm % (fn [k v] (if v nil k)))
(.remove chm %)
(.putIfAbsent chm % :absent)
(into (sorted-map) chm)
(str chm)
(.put skip % (.get al))
(vec (.keySet skip))
(.offer q %)
(.put q %)
(.take q)
(.poll q)
(.poll q 1 TimeUnit/SECONDS)
(vec q)
(.put bq %)
(.offer bq %)
(.take bq)
(.remainingCapacity bq)
(.add clq %)
(.poll clq)
(.add cow %)
(vec cow)
(.removeIf cow odd?)
(.countDown latch)
(.await latch)
(.getCount latch)
(.acquire sem)
(.tryAcquire sem)
(.release sem)
(.availablePermits sem)
(do (.lock lock) (.add cow %) (.unlock lock) (.isLocked lock))
(.unlock lock)
(.getHoldCount lock)
(locking lock (.add clq %))
(do (send ag conj %) :sent)
(do (await ag) @ag)
@ag
(do (deliver pr %) :delivered)
@pr
(deref pr 0 :none)
(realized? pr)
(.complete cf %)
(.get cf)
(.isDone cf)
(swap! at conj %)
@at
(count @at)
(dosync (alter rf + %))
(dosync (commute rf inc))
@rf
(vswap! vol inc)
@vol
(.add lst %)
(vec lst)
(.put hm % %)
(.size hm)
(str (.append sb %))
(str sb)
(aset arr 0 %)
(vec arr)
(.nextInt rnd 100)
(.setMaximumFractionDigits df %)
(.format df 1.25)
(.add pq %)
(.peek pq)
(str (.add sj "%"))
(println "out" %)
(rand-int 100)
(throw (ex-info "thrown" {:n %}))
(/ 1 0)
(count (vec (range 200)))
`), "\n")

// SharedPrograms writes such programs.
type SharedPrograms struct {
	rng   *rand.Rand
	depth int
}

// NewSharedPrograms returns the programs of a seed. Their operations nest at most depth deep, so they need that many
// workers.
func NewSharedPrograms(seed uint64, depth int) *SharedPrograms {
	return &SharedPrograms{rand.New(rand.NewPCG(seed, 23)), depth}
}

// Program returns a new program.
func (g *SharedPrograms) Program() string {
	var b strings.Builder
	b.WriteString(sharedObjects)
	b.WriteString("[")
	for range 2 + g.rng.IntN(4) {
		b.WriteString(g.expr(g.depth) + "\n ")
	}
	b.WriteString("(.get al) (.get ar) (into (sorted-map) chm) (vec q) (vec cow) @at @rf (.getCount latch) " +
		"(vec lst) (str sb)]")
	return b.String()
}

func (g *SharedPrograms) leaf() string {
	leaf := sharedLeaves[g.rng.IntN(len(sharedLeaves))]
	for strings.Contains(leaf, "%") {
		leaf = strings.Replace(leaf, "%", fmt.Sprint(g.rng.IntN(4)), 1)
	}
	return leaf
}

// expr returns an expression that nests at most so deep.
func (g *SharedPrograms) expr(depth int) string {
	if depth == 0 || g.rng.IntN(6) == 0 {
		return "(safe " + g.leaf() + ")"
	}
	e := func() string { return g.expr(depth - 1) }
	body := ""
	switch g.rng.IntN(19) {
	case 0, 1, 2, 3:
		body = fmt.Sprintf("(let [f (future [%s %s]) g (future [%s %s])] [%s @g @f])", e(), e(), e(), e(), e())
	case 4, 5:
		body = fmt.Sprintf("(mapv deref (mapv (fn [x] (future [x %s %s])) (range %d)))", e(), e(), 1+g.rng.IntN(5))
	case 6, 7:
		body = fmt.Sprintf("(vec (pmap (fn [x] [x %s %s]) (range %d)))", e(), e(), 1+g.rng.IntN(4))
	case 8:
		body = fmt.Sprintf("(vec (pcalls (fn [] %s) (fn [] %s)))", e(), e())
	case 9:
		body = fmt.Sprintf("(mapv (fn [f] (.get f)) (.invokeAll ex [(fn [] %s) (fn [] %s) (fn [] %s)]))", e(), e(), e())
	case 10:
		body = fmt.Sprintf("(let [r (atom nil) t (Thread. (fn [] %s (reset! r %s)))] (.start t) %s (.join t) @r)",
			e(), e(), e())
	case 11:
		body = fmt.Sprintf("@(.thenCombine (CompletableFuture/supplyAsync (fn [] %s)) (.thenApply (future %s) "+
			"(fn [x] [x %s])) vector)", e(), e(), e())
	case 12:
		body = fmt.Sprintf("(do (send ag (fn [s] (conj s %s))) (future %s) (await ag) %s)", e(), e(), e())
	case 13:
		body = fmt.Sprintf("(let [p (promise)] (future %s (deliver p %s)) (future (deliver p %s)) [@p %s])",
			e(), e(), e(), e())
	case 14:
		body = fmt.Sprintf("(do (.execute ex (fn [] %s)) %s (.awaitTermination ex 1 TimeUnit/MINUTES) %s)", e(), e(), e())
	case 15:
		body = fmt.Sprintf("(let [f (future %s)] [(future-cancel f) (safe @f) (.isCancelled f) %s])", e(), e())
	case 16:
		body = fmt.Sprintf("(let [f (.whenComplete (.exceptionally (CompletableFuture/supplyAsync (fn [] (if %s (throw "+
			"(ex-info \"x\" {})) 1))) (fn [t] [(ex-message t) %s])) (fn [x t] %s))] [(.join f) %s])", e(), e(), e(), e())
	case 17:
		body = fmt.Sprintf("(let [c (CountDownLatch. 2)] (future %s (.countDown c)) (future %s (.countDown c)) "+
			"(.await c) %s)", e(), e(), e())
	case 18:
		body = fmt.Sprintf("(psettle (fn [x] [%s %s]) (range %d))", e(), e(), 1+g.rng.IntN(3))
	}
	return "(safe " + body + ")"
}
