// This file defines the parts of the pipelines that the fusion tests generate.

package ptc

import (
	"strings"
)

// listed reads a list, whose parts stand between bars and on lines of their own.
func listed(text string) (list []string) {
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		list = append(list, strings.Split(line, " | ")...)
	}
	return list
}

// The state that stages read and change. A program ends by returning it.
const fusionState = `(def at (atom 0)) (def g 1) (def ^:dynamic *d* 1) (def log (volatile! []))
(defn shout [x] (println :shout x) x)
(defn add [a b] (+ a b))
(defn square [x] (* x x))
(defn look [m] (:k m))
(defn boom [x] (if (= x 3) (throw (ex-info "three" {})) x))
(defn front [s] (let [[x] s] (if (nil? x) (count s) x)))
(defn now-g [x] (+ g x))
(deftype Noisy [n]
  clojure.lang.ILookup (valAt [_ k] (println :look n k) n) (valAt [_ k d] (println :look n k) n)
  Object (toString [_] (println :text n) (str "N" n)) (equals [_ o] (println :equals n) false)
  (hashCode [_] n)
  clojure.lang.Counted (count [_] (println :count n) n))
(def a (long-array 3))
(def sb (StringBuilder.)) (def tr (transient {:k 0})) (def vo (volatile! 0))
`

// fusionSources are the sources of pipelines.
var fusionSources = listed(`
(range 5) | (range 70) | (range 30 -40 -1) | [1 2 3 4] | (vec (range 40)) | (list 1 2 3) | (apply list (range 40))
nil | [] | [1 2 :x 3] | (assoc (vec (range 40)) 35 :x) | (assoc (vec (range 40)) 3 :x 37 nil)
(concat (range 33) [:x] (range 3)) | (cons 9 (range 40)) | (subvec (vec (range 50)) 5 45) | (rseq (vec (range 40)))
(rest (range 40)) | (drop 3 (vec (range 40))) | (seq (vec (range 40))) | (take 40 (iterate inc 0))
(lazy-seq (do (println :lazy) (list 1 2 3))) | (map shout (range 36)) | (map shout (list 1 2 3))
(map (fn [x] (swap! at + 10) x) (range 36)) | (sorted-set 3 1 2) | #{1 2 3} | a | (repeat 3 2) | (cycle [1 2 3 4])
1 | (map (fn [x] (if (= x 34) (throw (ex-info "source" {})) x)) (range 40))
[(map shout [1 2]) (map shout [3 4]) (map shout [5])] | (mapv (fn [i] (lazy-seq (println :e i) (list i))) (range 4))
{:a 1 :b 2 :c 3} | "abcdé" | [[1 2] [3 4] {:k 5} nil] | [{:k 1} {:k 2 :v :x} {:v 3}]
[(Noisy. 1) (Noisy. 2) (Noisy. 3)] | [tr tr tr] | (map reduced (range 3)) | [(reduced 1) 2] | (for [x (range 34)] x)
(filter odd? (range 70)) | (into-array [1 2 3]) | [at at] | (mapv str (range 36)) | ["1" "x" nil "4"]
(keys {:a 1 :b 2}) | (partition 2 (range 9)) | (sort [3 1 2]) | (when true [1 2])
`)

// fusionPure are functions of stages that change nothing.
var fusionPure = listed(`
inc | dec | - | str | identity | vector | even? | odd? | pos? | nil? | number? | :k | first | count | seq | second
not | boolean | keyword | int | #(* % %) | (fn [x] (+ x 1)) | (fn [x] (/ 12 (- x 3))) | (fn [x] [x x])
(fn [x] (nth [1 2 3] x)) | (fn [x] (get {1 2} x)) | (fn [x] {:k x}) | (fn [x] #{x 1})
(fn [x] (let [y (inc x)] (* y y))) | (fn [x] (if (< x 4) x (throw (ex-info "big" {}))))
(fn [x] (when (even? x) x)) | (fn [x] (and x (> x 2))) | (fn [[x y]] (+ x y)) | (fn [x] (-> x inc (mod 5)))
(fn [x] (cond (< x 2) :low (< x 30) x :else :high)) | parse-long | (fn [x] (reduced x)) | reduced | (constantly 3)
(partial + 2) | (comp inc inc) | #{1 2 3 :x} | {1 2 3 4} | (fn [x] (count (str x)))
(fn [x] (loop [i 0] (if (< i 3) (recur (inc i)) (+ i x)))) | square | look | boom | front | now-g | square | deref
hash | val | (fn [a b] a) | assoc | (fn [x & more] x) | (fn ([x] x) ([x y] y)) | nope-nil
`)

// fusionImpure are functions of stages that read or change something, or have others that do.
var fusionImpure = listed(`
shout | (fn [x] (println :p x) x) | (fn [x] (print x) (if (= x 5) (throw (ex-info "five" {:x x})) x))
(fn [i] (aset a 0 (if (int? i) i 7))) | (fn [_] (aget a 0)) | (fn [x] (swap! at + (if (number? x) x 1)))
(fn [_] @at) | (fn [x] (vreset! vo x)) | (fn [_] @vo) | (fn [_] (rand-int 10)) | (fn [x] (tool/note {:x (str x)}) x)
(fn [x] (set! *d* x)) | (fn [_] *d*) | (fn [x] (var-set #'*d* x)) | (fn [x] (alter-var-root #'g (fn [o] x)))
(fn [_] g) | (fn [x] (intern 'user 'g x) x) | (fn [x] (if (= x 7) (return [:early x]) x))
(fn [x] (if (= x 7) (fail "seven") x)) | (fn [x] (.append sb (str x)) x) | (fn [_] (str sb))
(fn [x] (assoc! tr :k x) x) | (fn [_] (get tr :k)) | (fn [_] (:k tr)) | (fn [x] (vswap! log conj x) x)
(fn [x] (first (map shout [x]))) | (fn [x] (nth a 0)) | (fn [x] (+ g x)) | (do (println :once) inc)
(let [n (atom 0)] (fn [x] (+ x (swap! n inc)))) | (fn [x] (reset! at x) (try (/ 1 x) (catch Exception e :zero)))
(memoize shout) | (fn [x] (map shout [x x])) | (fn [x] (lazy-seq (println :forced x) [x]))
(fn [x] (Thread/sleep 0) x) | (fn [_] (Math/random)) | (fn [x] (reduce + (map (fn [y] (println :in y) y) [x 1])))
`)

// fusionReducers are functions of reductions.
var fusionReducers = listed(`
+ | conj | add | (fn [a x] (+ a x)) | (fn [a x] (if (> x 5) (reduced a) (+ a x)))
(fn [a x] (println :r x) (if (number? x) (+ a x) a)) | max | str | (fn [_ x] x)
(fn [a x] (if (= x 33) (reduced [:at x]) x)) | (fn [a _] (+ a (aget a 0))) | (fn [a x] (swap! at inc) x)
(fn ([] :none) ([x] [:done x]) ([a x] x)) | (do (println :rf) +) | conj! | - | (fn [m x] (assoc {} x m))
(fn [a x] (if (nil? x) a (conj [a] x)))
`)

// fusionInits are the initial values of reductions.
var fusionInits = listed(`
0 | [] | nil | (do (println :init) 0) | #{} | (reduced 1) | "" | @at
`)

// fusionOthers are consumers that are not fused.
var fusionOthers = listed(`
doall | dorun | apply + | some even? | last | frequencies | every? number? | sort-by str | group-by str
`)

// fusionCases are pipelines whose order of evaluation is visible, with the results of Clojure.
var fusionCases = []struct{ source, want string }{
	// A stage that reads a value that another stage writes.
	{"(let [a (long-array 1)] (reduce + (map (fn [_] (aget a 0)) (map (fn [i] (aset a 0 i)) (range 4)))))", "12"},
	{"(let [a (long-array 1) s (map (fn [i] (aset a 0 i)) (range 4))] (reduce + (map (fn [_] (aget a 0)) s)))", "12"},
	{"(let [v (volatile! 0)] (vec (map (fn [_] @v) (map (fn [i] (vreset! v i)) (range 3)))))", "[2 2 2]"},
	{`(def ^:dynamic *d* 0) (binding [*d* 0] (vec (map (fn [_] *d*) (map (fn [i] (var-set #'*d* i)) (range
		3)))))`,
		"[2 2 2]"},
	{`(defn f [x] (* x x)) (with-redefs [f (fn [x] (print x) x)] (reduce + (map inc (map f (map dec [1 2])))))`,
		"3 01"},
	{`(defn f [x] (* x x)) (with-redefs [f (fn [x] (print x) x)] (try (reduce + (map f (map dec [1 :a]))) (catch
		Exception e :no)))`,
		":no"},
	{`(defn f [x] (* x x)) (try (reduce + (map f (map dec [1 2 :a]))) (catch Exception e (ex-message e)))`,
		`"dec: got :a (keyword) for x, want a number"`},
	{"(def g 0) (vec (map (fn [_] g) (map (fn [i] (intern 'user 'g i) i) (range 3))))", "[2 2 2]"},
	{"(let [t (transient {:k 0})] (vec (map (fn [_] (:k t)) (map (fn [i] (assoc! t :k i) i) (range 3)))))", "[2 2 2]"},
	{`(let [b (StringBuilder.)] (vec (map (fn [_] (str b)) (map (fn [i] (.append b i) i) (range 3)))))`,
		`["012" "012" "012"]`},
	// The first error, and the effects before it.
	{`(defn t [x] (println x) x) (try (reduce + (map t [1 :a 3])) (catch Exception e (ex-message e)))`,
		`"+: got :a (keyword), want a number" 1 :a 3`},
	{"(try (reduce (fn [_ x] (println x)) nil (map inc [1 2 :a])) (catch Exception e :no))", ":no"},
	{`(try (mapv parse-long (map clojure.string/trim [7 nil])) (catch NullPointerException e :nil) (catch Exception
		e :other))`,
		":other"},
	{`(try (vec (map #(/ 1 %) (map #(if (= % 2) (throw (ex-info "two" {})) %) [0 1 2]))) (catch Exception e
		(ex-message e)))`,
		`"two"`},
	// The effects that do not happen after an early end.
	{"(reduce (fn [a x] (if (= x 1) (reduced a) (+ a x))) 0 (map (fn [x] (print x) x) (range 4)))", "0 0123"},
	{"(reduce (fn [a x] (if (= x 1) (reduced a) (+ a x))) 0 (map (fn [x] (print x) x) (list 0 1 2 3)))", "0 01"},
	{`(try (reduce (fn [a x] (if (= x 2) (reduced a) x)) 0 (map inc [1 2 :x])) (catch ClassCastException e
		:no))`,
		":no"},
	// Sequences and objects that have effects of their own when they are looked into.
	{`(defn s [k n] (map (fn [x] (print k) x) [n])) (reduce + (map (fn [[a b]] (+ (first a) b)) (map (fn [[a
		b]] [a (first b)]) [[(s :a 1) (s :b 2)] [(s :c 3) (s :d 4)]])))`,
		"10 :b:d:a:c"},
	{`(deftype T [n] clojure.lang.ILookup (valAt [_ k] (print k n) n)) (reduce + (map :b (map (fn [t] (:a t)
		t) [(T. 1) (T. 2)])))`,
		"3 :a 1:a 2:b 1:b 2"},
	// Reduced values that do not end a reduction, and expressions that are evaluated once.
	{"(vec (map deref (map reduced [1 2])))", "[1 2]"},
	{`(reduce (fn [a x] [a (deref x)]) (filter some? (map reduced [1 2])))`,
		"[#object[clojure.lang.Reduced {:status :ready, :val 1}] 2]"},
	{"(transduce (filter odd?) + (reduced 1) [2 4])", "1"},
	{"(reduce (do (println :f) +) [])", "0 :f"},
	{`(reduce (do (print 1) +) (do (print 2) 0) (map (do (print 3) inc) (map (do (print 4) inc) (do (print
		5) [1]))))`,
		"3 12345"},
	{"(reduce + (map assoc []))", "0"},
}
