package parallel

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
)

// futurePrograms are programs of futures and their values. The values and the prints are those of a program
// that runs each future immediately, where it is made; they are possible on JVM Clojure too.
var futurePrograms = []struct{ name, source, want string }{
	{"a sum", `(let [a (future (+ 1 2)) b (future (* 3 4))] (+ @a @b))`, "15"},
	{"mapv", `(mapv deref (mapv (fn [x] (future (* x x))) (range 20)))`, "[0 1 4 9 16 25 36 49 64 81 100 121 144 169 196 225 256 289 324 361]"},
	{"lazily made", `(map deref (map #(future (inc %)) (range 5)))`, "(1 2 3 4 5)"},
	{"one waits for another", `(let [a (future 1) b (future (+ @a 1)) c (future (+ @a @b))] [@c @b @a])`, "[3 2 1]"},
	{"a chain", `(deref (reduce (fn [f i] (future (+ i @f))) (future 0) (range 50)))`, "1225"},
	{"an atom", `(let [r (atom 0)] @(future (swap! r inc)) @r)`, "1"},
	{"an atom of many", `(let [r (atom [])] (run! deref (mapv (fn [i] (future (Thread/sleep (mod (* 7 i) 3)) (swap! r conj i))) (range 20))) @r)`,
		"[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19]"},
	{"an atom after a future", `(let [r (atom 0) a (future (swap! r inc)) b (future @a @r)] @b)`, "1"},
	{"an atom of a result", `(let [a (future (atom 1)) b (future (swap! @a inc))] [@b @@a])`, "[2 2]"},
	{"an atom with a watch", `(let [r (atom 0) seen (atom [])] (add-watch r :k (fn [_ _ o n] (swap! seen conj [o n]))) (dotimes [_ 3] (future (swap! r inc))) (Thread/sleep 0) [@r @seen])`,
		"[3 [[0 1] [1 2] [2 3]]]"},
	{"compare and set", `(let [r (atom 0)] (dotimes [i 3] (future (compare-and-set! r i (inc i)))) (Thread/sleep 0) @r)`, "3"},
	{"nobody waits", `(let [r (atom 0)] (future (println "later")) (println "now") :done)`, ":done\nnow\nlater\n"},
	{"nobody waits, in a worker", `(pmap (fn [i] (future (println "later" i)) i) [1 2])`, "(1 2)\nlater 1\nlater 2\n"},
	{"nobody waits, in a future", `@(future (future (println "inner")) (println "outer") 1)`, "1\nouter\ninner\n"},
	{"a scope", `(let [f (with-limits {:ms 60000} (future (println "in") 1))] (println "out") @f)`, "1\nin\nout\n"},
	{"outside of a scope", `(let [f (future (println "f") 1)] (with-limits {:ms 60000} (println "in")) @f)`, "1\nin\nf\n"},
	{"read in a scope", `(let [f (future 1) g (future 2)] (with-limits {:ms 60000} @f))`, "1"},
	{"an operation waits", `(let [f (future (println "f") 1)] (pmap (fn [x] (println x) (+ x @f)) [1 2]))`, "(2 3)\nf\n1\n2\n"},
	{"a sleep waits", `(future (println "f")) (Thread/sleep 1) (println "main")`, "nil\nf\nmain\n"},
	{"prints in order", `(let [fs (mapv (fn [i] (future (Thread/sleep (- 3 i)) (println i))) (range 3))] (run! deref fs))`, "nil\n0\n1\n2\n"},
	{"captured prints", `(with-out-str @(future (print "x")))`, `"x"`},
	{"an exception", `(try @(future (throw (ex-info "no" {:a 1}))) (catch Exception e [(.getName (class e)) (ex-message e) (ex-data e) (ex-data (ex-cause e)) (ex-message (ex-cause e))]))`,
		`["java.util.concurrent.ExecutionException" "clojure.lang.ExceptionInfo: no {:a 1}" nil {:a 1} "no"]`},
	{"each deref throws", `(let [f (future (/ 1 0))] (mapv (fn [_] (try @f (catch Exception e (ex-message (ex-cause e))))) [1 2]))`,
		`["Divide by zero" "Divide by zero"]`},
	{"one of many throws", `(let [fs (mapv (fn [i] (future (/ 6 i))) [1 0 2])] (mapv (fn [f] (try @f (catch Exception _ :failed))) fs))`, "[6 :failed 3]"},
	{"through another future", `(try @(let [a (future (throw (ex-info "no" {:a 1})))] (future @a)) (catch Exception e (ex-data (ex-cause (ex-cause e)))))`, "{:a 1}"},
	{"looks", `(let [n (atom 0) f (future (swap! n inc))] (loop [i 1] (if (future-done? f) [i @n] (recur (inc i)))))`, "[1000 1]"},
	{"looks at a promise", `(let [p (promise)] (future (deliver p 1)) (while (not (realized? p))) @p)`, "1"},
	{"looks in a future", `@(future (let [f (future 2)] (while (not (.isDone f))) @f))`, "2"},
	{"state", `(let [f (future 1)] [(realized? f) (future-done? f) @f (realized? f) (future-done? f) (future-cancelled? f)])`, "[false false 1 true true false]"},
	{"cancelled", `(let [f (future (println "no") 1)] [(future-cancel f) (future-cancelled? f) (future-cancel f) (try @f (catch java.util.concurrent.CancellationException e :cancelled))])`,
		"[true true false :cancelled]"},
	{"a promise", `(let [p (promise)] (future (deliver p 42)) @p)`, "42"},
	{"a promise, delivered twice", `(let [p (promise)] (dotimes [i 3] (future (deliver p i))) [@p (deliver p 9) @p])`, "[0 nil 0]"},
	{"a promise, delivered by the main evaluation", `(let [p (promise) f (future (inc @p))] (deliver p 1) @f)`, "2"},
	{"a promise, made first", `(let [p (promise) a (future (+ 1 @p)) b (future (deliver p 41))] @a)`, "42"},
	{"a promise, told", `(let [p (promise) a (future (println "waiting") (println "got" @p))] (Thread/sleep 1) (deliver p 1) @a)`, "nil\nwaiting\ngot 1\n"},
	{"promises in turn", `(let [p (promise) q (promise) r (promise)] (future (deliver r (inc @q))) (future (deliver q (inc @p))) (future (deliver p 1)) @r)`, "3"},
	{"a timeout", `(deref (future (Thread/sleep 60000) 1) 5 :late)`, ":late"},
	{"timeouts", `(mapv #(deref % 2000 :late) [(future 1) (future (Thread/sleep 60000)) (future 3)])`, "[1 :late 3]"},
	{"a timeout of a promise", `(deref (promise) 100000 :late)`, ":late"},
	{"in time", `(deref (future 1) 60000 :late)`, "1"},
	{"no time", `(let [f (future 1)] [(deref f 0 :late) @f (deref f 0 :late)])`, "[:late 1 1]"},
	{"bindings", `(def ^:dynamic *x* 1) (let [f (binding [*x* 2] (future *x*))] @f)`, "2"},
	{"deeper than there are workers", `(do (def c (atom [])) (defn down [n] (if (zero? n) (do (future (swap! c conj :late)) :end) ` +
		`(mapv deref (mapv (fn [i] (future (swap! c conj i) (if (= i 1) (down (dec n)) i))) (range 2))))) [(down 12) (frequencies @c)])`,
		"[[0 [0 [0 [0 [0 [0 [0 [0 [0 [0 [0 [0 :end]]]]]]]]]]]] {0 12, 1 12, :late 1}]"},
	{"a later one, deeper than there are workers", `((fn go [k] (if (zero? k) (let [p (promise) x (future (+ 1 @p)) y (future (deliver p 5))] [@x (some? @y)]) ` +
		`@(future (go (dec k))))) 12)`, "[6 true]"},
	{"transactions", `(let [a (ref 100) b (ref 0) log (ref []) move (fn [n] (dosync (when (>= @a n) (alter a - n) (commute b + n) (alter log conj n) :done)))] ` +
		`[(mapv deref (mapv (fn [_] (future (move 30))) (range 5))) @a @b @log])`, "[[:done :done :done nil nil] 10 90 [30 30 30]]"},
	{"a transaction that fails", `(let [r (ref 1)] [@(future (try (dosync (alter r inc) (throw (ex-info "no" {}))) (catch Exception e @r))) @r])`, "[1 1]"},
	{"transactions, one inside", `(let [r (ref 1)] [@(future (dosync (alter r inc)) @(future (dosync (alter r inc) @r))) @r])`, "[3 3]"},
	{"an atomic number", `(let [n (java.util.concurrent.atomic.AtomicLong.) fs (mapv (fn [i] (future (dotimes [_ 10] (.incrementAndGet n)) (.get n))) (range 4))] [(mapv deref fs) (.get n)])`,
		"[[10 20 30 40] 40]"},
	{"a concurrent map", `(let [m (java.util.concurrent.ConcurrentHashMap.)] (run! deref (mapv (fn [i] (future (.merge m (mod i 3) 1 +))) (range 20))) (into (sorted-map) m))`,
		"{0 7, 1 7, 2 6}"},
	{"a queue whose consumer comes first", `(let [q (java.util.concurrent.LinkedBlockingQueue.) c (future [(.take q) (.take q)])] (future (.put q :a) (.put q :b)) @c)`, "[:a :b]"},
	{"a lock", `(let [l (java.util.concurrent.locks.ReentrantLock.) c (atom 0)] (run! deref (mapv (fn [_] (future (.lock l) (try (reset! c (inc @c)) (finally (.unlock l))))) (range 10))) @c)`, "10"},
	{"a CompletableFuture", `(let [a (java.util.concurrent.CompletableFuture/supplyAsync (fn [] 20)) b (.thenApply a inc)] [(.join (.thenCombine a b +)) ` +
		`(.join (.exceptionally (.thenApply (future (/ 1 0)) inc) ex-message))])`, `[41 "Divide by zero"]`},
	{"nested", `(mapv deref (mapv (fn [i] (future (reduce + (mapv deref (mapv (fn [k] (future (* i k))) (range 4)))))) (range 4)))`, "[0 6 12 18]"},
	{"an atom of nested ones", `(let [r (atom [])] (run! deref (mapv (fn [i] (future (run! deref (mapv (fn [k] (future (swap! r conj [i k]))) (range 2))))) (range 3))) @r)`,
		"[[0 0] [0 1] [1 0] [1 1] [2 0] [2 1]]"},
	{"an atom of nested ones, with changes between", `(let [r (atom [])] (run! deref (mapv (fn [i] (future (swap! r conj i) @(future (swap! r conj [i])) (swap! r conj (- i)))) [1 2])) @r)`,
		"[1 [1] -1 2 [2] -2]"},
	{"the value of a run", `{:f (future (inc 1))}`, "{:f #object[clojure.core$future_call$reify {:status :ready, :val 2}]}"},
}

// TestFutures: futures end with the values of a program that runs them one after another, on any number of workers.
func TestFutures(t *testing.T) {
	t.Parallel()
	for _, p := range slices.Concat(futurePrograms, agentPrograms) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, workers := range []int{8, 3} {
				synctest.Test(t, func(t *testing.T) { require.Equal(t, p.want, futureValue(t, p.source, workers), "%d workers", workers) })
			}
		})
	}
}

// futureValue returns the value of a program, and below it what the program prints.
func futureValue(t *testing.T, source string, workers int) string {
	t.Helper()
	prog, err := ptc.Compile(t.Context(), "p", source, ptc.Options{Limits: ptc.Limits{Workers: workers}})
	require.NoError(t, err)
	var prints strings.Builder
	res, err := prog.Run(t.Context(), ptc.RunOptions{Output: func(p ptc.Print) { prints.WriteString(p.Text) }})
	require.NoError(t, err)
	got, err := res.EDN()
	require.NoError(t, err)
	if prints.Len() > 0 {
		got += "\n" + prints.String()
	}
	return got
}

// TestFuturesThatEndNobody: a wait that can't end is an immediate error.
func TestFuturesThatEndNobody(t *testing.T) {
	t.Parallel()
	for source, code := range map[string]diag.Code{
		`@(promise)`:                                                     diag.IllegalState,
		`(let [p (promise)] @(future @p))`:                               diag.Thrown,
		`(let [f (future 1)] (future-cancel f) @f)`:                      diag.IllegalState,
		`(let [a (atom nil)] (reset! a (future @@a)) @@a)`:               diag.Thrown,
		`(let [n (atom 0)] (pmap (fn [_] @(future (swap! n inc))) [1]))`: diag.Thrown,
		`(let [f (future (return 1))] @f 2)`:                             "",
		`(let [a (agent 0)] @(future (send a inc) (await a)))`:           diag.Thrown,
		`(let [a (agent 0)] (pmap (fn [_] (send a inc)) [1]))`:           diag.NotOwner,
		`(let [a (agent 0)] (send a / 0) (await a) (await a))`:           diag.Thrown,
		`(let [a (agent 0)] (send a (fn [_] @(promise))) (await a) @a)`:  "",
		`(.await (java.util.concurrent.CountDownLatch. 1))`:              diag.IllegalState,
		`@(future (fail "no"))`:                                          diag.Failed,
		`(future (println "no")) (/ 1 0)`:                                diag.Arithmetic,
	} {
		require.Equal(t, code, endOf(t, source), source)
	}
}

func endOf(t *testing.T, source string) diag.Code {
	prog, err := ptc.Compile(context.Background(), "p", source, ptc.Options{})
	require.NoError(t, err)
	res, err := prog.Run(context.Background(), ptc.RunOptions{})
	require.NotContains(t, res.Prints, "no")
	var e *ptc.Error
	if errors.As(err, &e) {
		return e.Code
	}
	require.NoError(t, err)
	return ""
}
