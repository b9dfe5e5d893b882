// This file defines the programs that the oracle watches. They use every way to allocate.

package memtest

// program is a program of the corpus.
type program struct {
	name   string
	source string
	want   string // error codes at its end, separated by |; "ok" means no error
	slow   bool   // run under a large cap
}

// keep returns a program that computes an expression of i forever and keeps each value.
func keep(name, expr string) program {
	return program{name: name, source: `(loop [i 0 acc ()] (recur (inc i) (conj acc ` + expr + `)))`, want: full}
}

// drop returns a program that computes an expression of i n times and keeps no value.
func drop(name, n, expr string) program {
	return program{name: name, source: `(dotimes [i ` + n + `] ` + expr + `)`, want: fair}
}

const (
	full = "memory-exceeded"
	fair = "ok"
)

var corpus = []program{
	// Strings.
	{name: "string doubled", source: `(loop [s "x"] (recur (str s s)))`, want: full},
	{name: "string grown by one", source: `(loop [s "" acc ()] (recur (str s "x") (conj acc s)))`, want: full},
	{name: "string joined", source: `(loop [s "abc"] (recur (clojure.string/join "," [s s s])))`, want: full},
	{name: "string replaced", source: `(loop [s "x"] (recur (clojure.string/replace s "x" "xyx")))`, want: full},
	{name: "string replaced by a pattern", source: `(loop [s "x"] (recur (clojure.string/replace s #"x" "x$0y")))`, want: full},
	{name: "string replaced by a function", source: `(loop [s "xx"] (recur (clojure.string/replace s #"x+" (fn [m] (str m m "y")))))`, want: full},
	{name: "string repeated", source: `(loop [n 1] (apply str (repeat n "abcdefg")) (recur (* 2 n)))`, want: full},
	{name: "string formatted", source: `(loop [n 10] (format (str "%" n "d") 1) (recur (* 2 n)))`, want: full + "|unsupported-operation"},
	{name: "string formatted from itself", source: `(loop [s "x"] (recur (format "%s-%s" s s)))`, want: full},
	{name: "string formatted in upper case", source: `(loop [s "x"] (recur (format "%S-%S" s s)))`, want: full},
	{name: "string in upper case", source: `(loop [s "xé"] (recur (str (clojure.string/upper-case s) (clojure.string/reverse s))))`, want: full},
	{name: "string escaped", source: `(loop [s "x"] (recur (clojure.string/escape s {\x "xx"})))`, want: full},
	keep("substrings", `(subs "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz" (mod i 30))`),
	{name: "short substrings of long strings", source: `(loop [acc ()] (recur (conj acc (subs (apply str (repeat 300 "abc")) 10 20))))`, want: full, slow: true},
	{name: "trimmed long strings", source: `(loop [acc ()] (recur (conj acc (clojure.string/trim (str (apply str (repeat 300 " ")) "a")))))`, want: full, slow: true},
	{name: "split", source: `(let [s (apply str (repeat 200 "ab,"))] (loop [acc ()] (recur (conj acc (clojure.string/split s #",")))))`, want: full},
	{name: "split, few kept", source: `(let [s (apply str (repeat 50 "abcdefgh,"))] (loop [acc ()] (recur (conj acc (first (clojure.string/split s #","))))))`, want: full},
	{name: "split-lines", source: `(let [s (apply str (repeat 200 "ab\n"))] (loop [acc ()] (recur (conj acc (clojure.string/split-lines s)))))`, want: full},
	{name: "characters of a string", source: `(let [s (apply str (repeat 100 "ab"))] (loop [acc ()] (recur (conj acc (vec s)))))`, want: full},
	keep("names", `[(keyword (str "k" i)) (symbol (str "s" i)) (name (keyword (str "n" i)))]`),
	keep("gensyms", `(gensym "abc")`),
	{name: "StringBuilder", source: `(let [b (StringBuilder.)] (loop [] (.append b "abcdefghij") (recur)))`, want: full},
	{name: "StringBuilder doubled by its own length", source: `(let [b (StringBuilder. "x")] (loop [] (.setLength b (* 2 (count b))) (recur)))`, want: full},
	{name: "StringBuilder doubled by appendReplacement", source: `(let [b (StringBuilder. "x")] (loop [] (let [m (re-matcher #"x+" (str b))] (.find m) (.appendReplacement m b "$0$0")) (recur)))`, want: full},
	{name: "StringBuilder doubled by clojure.string", source: `(loop [b (StringBuilder. "x")] (recur (StringBuilder. (clojure.string/replace b #"x" "xx"))))`, want: full},
	drop("StringBuilders searched", "3000",
		`(let [b (StringBuilder. "a,b ")] (clojure.string/split b #",") (clojure.string/trim b) (re-seq #"." b) (vec (seq b)))`),
	drop("CharSequence read by its methods", "500",
		`(count (clojure.string/trim (reify CharSequence (length [_] 50) (charAt [_ i] \a))))`),
	keep("StringBuilders", `(let [b (StringBuilder.)] (.append b (str i)) b)`),

	// Numbers.
	keep("bigints", `(+ 1000000000000000000000N i)`),
	{name: "bigints squared", source: `(loop [x 3N acc ()] (recur (if (< (count acc) 12) (* x x) x) (conj acc (+ x (count acc)))))`, want: full},
	keep("ratios", `(/ 1 (+ i 7777777777777777777777N))`),
	keep("decimals", `(+ 1.5M i)`),
	keep("long decimals", `(* 12345678901234567890123456789.123456789M (inc i))`),
	keep("strings of numbers", `(str (* i 1.5))`),
	keep("numbers of strings", `[(parse-long (str i)) (bigint (str i "00000000000000000000")) (bigdec (str i ".25"))]`),
	keep("digits of bigints", `(str (+ i (apply * (repeat 60 1000000007N))))`),
	drop("bigint garbage", "20000", `(quot (* 123456789012345678901234567890N i i i) 987654321N)`),

	// Collections.
	{name: "list", source: `(loop [l ()] (recur (conj l 1)))`, want: full},
	{name: "cons", source: `(loop [l nil] (recur (cons 1 l)))`, want: full},
	{name: "vector by conj", source: `(loop [v []] (recur (conj v 1)))`, want: full},
	{name: "vector doubled", source: `(loop [v [1]] (recur (into v v)))`, want: full},
	keep("small vectors", `[i i i]`),
	keep("versions of a vector", `(conj (vec (range 40)) i)`),
	{name: "versions of one vector", source: `(loop [v [] acc ()] (recur (conj v 1) (conj acc v)))`, want: full},
	{name: "versions by assoc", source: `(let [v (vec (range 2000))] (loop [i 0 acc ()] (recur (inc i) (conj acc (assoc v (mod i 2000) i)))))`, want: full},
	{name: "versions by pop", source: `(loop [v (vec (range 5000)) acc ()] (recur (if (seq v) (pop v) (vec (range 5000))) (conj acc v)))`, want: full},
	{name: "subvecs", source: `(loop [acc ()] (recur (conj acc (subvec (vec (range 100)) 10 12))))`, want: full},
	{name: "vector changed in place",
		source: `(loop [i 0 v (vec (repeat 2000 nil))] (recur (inc i) (assoc v (mod i 2000) (vec (range (quot i 200))))))`, want: full},
	{name: "versions of a vector changed in place", source: `(loop [acc ()]
		(recur (conj acc (loop [i 0 v (vec (range 2000))] (if (< i 50) (recur (inc i) (assoc v (mod (* i 97) 2000) i)) v)))))`, want: full},
	{name: "map by assoc", source: `(loop [i 0 m {}] (recur (inc i) (assoc m i i)))`, want: full},
	{name: "map with string keys", source: `(loop [i 0 m {}] (recur (inc i) (assoc m (str "key" i) (str i))))`, want: full},
	keep("small maps", `{:a i :b i :c (str i)}`),
	{name: "versions of a map", source: `(let [m (zipmap (range 500) (range))] (loop [i 0 acc ()] (recur (inc i) (conj acc (assoc m (mod i 600) i)))))`, want: full},
	{name: "versions by dissoc", source: `(let [m (zipmap (range 500) (range))] (loop [i 0 acc ()] (recur (inc i) (conj acc (dissoc m (mod i 600))))))`, want: full},
	{name: "map of colliding keys", source: `(defn c [n] (if (zero? n) [""] (for [s (c (dec n)) t ["Aa" "BB"]] (str s t)))) (loop [acc ()] (recur (conj acc (zipmap (c 7) (range)))))`, want: full},
	{name: "set", source: `(loop [i 0 s #{}] (recur (inc i) (conj s (* 7 i))))`, want: full},
	{name: "sets of pairs", source: `(loop [i 0 s #{}] (recur (inc i) (conj s [i (str i)])))`, want: full},
	{name: "sorted map", source: `(loop [i 0 m (sorted-map)] (recur (inc i) (assoc m (* i 7919) i)))`, want: full},
	{name: "sorted map, comparator", source: `(loop [i 0 m (sorted-map-by (fn [a b] (compare b a)))] (recur (inc i) (assoc m i i)))`, want: full, slow: true},
	{name: "sorted set", source: `(loop [i 0 m (sorted-set)] (recur (inc i) (conj m (str i))))`, want: full},
	{name: "nested vectors", source: `(loop [v []] (recur [v v]))`, want: full},
	{name: "nested lists", source: `(loop [v ()] (recur (list v)))`, want: full},
	{name: "nested maps", source: `(loop [v {}] (recur {:a v}))`, want: full},
	{name: "assoc-in", source: `(loop [i 0 m {}] (recur (inc i) (assoc-in m [(mod i 100) i :x] i)))`, want: full},
	{name: "update-in with conj", source: `(loop [i 0 m {}] (recur (inc i) (update-in m [:a (mod i 10)] (fnil conj []) i)))`, want: full},
	{name: "queue", source: `(loop [q clojure.lang.PersistentQueue/EMPTY] (recur (conj q 1)))`, want: full},
	{name: "transient vector", source: `(let [v (transient [])] (loop [] (conj! v 1) (recur)))`, want: full},
	{name: "transient map", source: `(loop [i 0 m (transient {})] (recur (inc i) (assoc! m i i)))`, want: full},
	{name: "transient set", source: `(loop [i 0 m (transient #{})] (recur (inc i) (conj! m i)))`, want: full},
	keep("transients made persistent", `(persistent! (conj! (transient [1 2 3]) i))`),
	keep("map entries", `(first {i i})`),
	keep("metadata", `(with-meta [] {:i i})`),
	keep("metadata of varied objects",
		`[(with-meta (list i) {:i i}) (with-meta (symbol "a") {:i i}) (vary-meta {} assoc :a i)]`),
	{name: "merge", source: `(loop [i 0 m {}] (recur (inc i) (merge m {i i (str i) i})))`, want: full},
	{name: "select-keys and rename", source: `(loop [i 0 acc ()] (recur (inc i) (conj acc (clojure.set/rename-keys (select-keys {:a 1 :b 2 :c i} [:a :c]) {:a :z}))))`, want: full},
	{name: "set algebra", source: `(loop [i 0 s #{}] (recur (inc i) (clojure.set/union s (set (range (* i 10) (* (inc i) 10))))))`, want: full},
	{name: "join of relations", source: `(let [a (set (for [i (range 20)] {:a i :b (mod i 3)}))] (loop [acc ()] (recur (conj acc (clojure.set/join a a {:b :b})))))`, want: full},

	// Sequences.
	{name: "lazy sequence held", source: `(let [xs (map inc (range))] (loop [s xs] (if (seq s) (recur (rest s)) (first xs))))`, want: full},
	{name: "filter held", source: `(def xs (filter even? (range))) (loop [s xs] (if (seq s) (recur (rest s)) 1))`, want: full},
	{name: "iterate held", source: `(def xs (iterate inc 0)) (nth xs 100000000)`, want: full},
	{name: "repeatedly held", source: `(def xs (repeatedly (fn [] [1]))) (nth xs 100000000)`, want: full},
	{name: "cycle held", source: `(def xs (map str (cycle [1 2 3]))) (nth xs 100000000)`, want: full},
	{name: "lazy-seq held", source: `(defn f [n] (lazy-seq (cons n (f (inc n))))) (def xs (f 0)) (nth xs 100000000)`, want: full},
	{name: "concat nested", source: `(def xs (apply concat (repeat [1 2 3]))) (nth xs 100000000)`, want: full},
	{name: "partition held", source: `(def xs (partition 3 1 (range))) (nth xs 100000000)`, want: full},
	{name: "interleave held", source: `(def xs (interleave (range) (repeat 1))) (nth xs 100000000)`, want: full},
	{name: "mapcat held", source: `(def xs (mapcat (fn [i] [i (str i)]) (range))) (nth xs 100000000)`, want: full},
	{name: "take-while held", source: `(def xs (take-while number? (range))) (count xs)`, want: full},
	{name: "distinct held", source: `(def xs (distinct (range))) (nth xs 100000000)`, want: full},
	{name: "reductions held", source: `(def xs (reductions + (range))) (nth xs 100000000)`, want: full},
	{name: "tree-seq held", source: `(def xs (tree-seq (constantly true) (fn [n] [(inc n) (inc n)]) 0)) (nth xs 100000000)`, want: full + "|depth-exceeded"},
	{name: "for held", source: `(def xs (for [i (range) j (range 3)] [i j])) (nth xs 100000000)`, want: full},
	{name: "everything of a range", source: `(vec (range 100000000))`, want: full},
	{name: "into a list", source: `(into () (range 100000000))`, want: full},
	{name: "reverse", source: `(loop [n 1] (reverse (range n)) (recur (* 2 n)))`, want: full},
	{name: "shuffle", source: `(loop [n 1] (shuffle (range n)) (recur (* 2 n)))`, want: full},
	{name: "sort", source: `(loop [n 1] (sort > (map (fn [i] (mod (* i 7919) 10007)) (range n))) (recur (* 2 n)))`, want: full},
	{name: "sort-by", source: `(loop [n 1] (sort-by (fn [x] (- x)) (range n)) (recur (* 2 n)))`, want: full},
	{name: "group-by", source: `(loop [n 1] (group-by (fn [i] (mod i 10)) (range n)) (recur (* 2 n)))`, want: full},
	{name: "frequencies", source: `(loop [n 1] (frequencies (range n)) (recur (* 2 n)))`, want: full},
	{name: "zipmap", source: `(loop [n 1] (zipmap (range n) (range)) (recur (* 2 n)))`, want: full},
	{name: "partition-all", source: `(loop [n 1] (doall (partition-all 3 (range n))) (recur (* 2 n)))`, want: full},
	{name: "apply vector", source: `(loop [n 1] (apply vector (range n)) (recur (* 2 n)))`, want: full},
	{name: "apply of a program's function", source: `(loop [n 4] (apply (fn [a b c d & more] (count more)) (vec (range n))) (recur (* 2 n)))`, want: full},
	{name: "hash-map by apply", source: `(loop [n 1] (apply hash-map (range (* 2 n))) (recur (* 2 n)))`, want: full},
	{name: "flatten", source: `(loop [n 1] (doall (flatten (repeat n [1 [2 [3]]]))) (recur (* 2 n)))`, want: full},
	{name: "mapv over several", source: `(loop [n 1] (mapv vector (range n) (range n)) (recur (* 2 n)))`, want: full},
	{name: "into with a transducer", source: `(loop [n 1] (into [] (comp (map str) (partition-all 4)) (range n)) (recur (* 2 n)))`, want: full},
	{name: "sequence with a transducer", source: `(def xs (sequence (comp (map inc) (mapcat (fn [x] [x x]))) (range))) (nth xs 100000000)`, want: full},
	{name: "transducer with state", source: `(transduce (comp (distinct) (partition-by (fn [x] (quot x 100)))) conj [] (range))`, want: full},
	{name: "partition-by of one part", source: `(first (partition-by pos? (map inc (range))))`, want: full},
	{name: "drop-last and butlast", source: `(loop [n 1] [(doall (drop-last 2 (range n))) (butlast (range n))] (recur (* 2 n)))`, want: full},
	{name: "chunk cells of repeat", source: `(vec (repeat 100000000 :x))`, want: full},

	// Functions and cells.
	{name: "closures", source: `(loop [i 0 f (fn [] 0)] (recur (inc i) (fn [] [i f])))`, want: full},
	{name: "composed functions", source: `(loop [f inc] (recur (comp f inc)))`, want: full},
	{name: "partials", source: `(loop [f +] (recur (partial f 1)))`, want: full},
	{name: "memoize", source: `(def f (memoize (fn [x] (str x)))) (loop [i 0] (f i) (recur (inc i)))`, want: full},
	{name: "atom", source: `(def a (atom [])) (loop [i 0] (swap! a conj i) (recur (inc i)))`, want: full},
	{name: "ref", source: `(def r (ref [])) (loop [i 0] (dosync (alter r conj i)) (recur (inc i)))`, want: full},
	{name: "commute", source: `(def r (ref 0)) (dosync (loop [i 0] (commute r + i) (recur (inc i))))`, want: full},
	{name: "refs of a transaction", source: `(dosync (loop [i 0] (ref-set (ref 0) i) (recur (inc i))))`, want: full},
	keep("atoms", `(atom i)`),
	keep("refs", `(ref i)`),
	keep("volatiles and boxes", `[(volatile! i) (delay i) (reduced i)]`),
	{name: "watches", source: `(def a (atom 0)) (loop [i 0] (add-watch a i (fn [& _])) (recur (inc i)))`, want: full, slow: true},
	{name: "delays", source: `(loop [d (delay 1)] (recur (delay @d)))`, want: full},
	{name: "recursion", source: `(defn f [n] (inc (f (inc n)))) (f 0)`, want: full + "|depth-exceeded"},
	{name: "recursion with data", source: `(defn f [n] (conj (f (inc n)) (range 10))) (f 0)`, want: full + "|depth-exceeded"},
	{name: "deep bindings", source: `(def ^:dynamic *x* 0) (defn f [n] (binding [*x* [n]] (inc (f (inc n))))) (f 0)`, want: full + "|depth-exceeded"},
	// A wide mark finds cells that are still empty. Narrow marks follow when the cells have been
	// filled and dropped.
	{name: "cells filled and dropped", source: `(defn chain [n] (loop [l nil i 0] (if (< i n) (recur (list l) (inc i)) l)))
		(def cells (mapv atom (range 32))) (dotimes [i 40000] [i i]) (run! (fn [a] (reset! a (chain 150))) cells) (def cells nil) (dotimes [i 80000] [i i])`, want: fair},
	{name: "trampoline garbage", source: `(defn f [n] (if (zero? n) :done (fn [] (f (dec n))))) (trampoline f 100000)`, want: fair},

	// Types.
	{name: "records", source: `(defrecord R [a b]) (loop [i 0 acc ()] (recur (inc i) (conj acc (assoc (->R i i) :c i))))`, want: full},
	{name: "deftype objects", source: `(deftype T [a b c]) (loop [i 0 acc ()] (recur (inc i) (conj acc (T. i i [i]))))`, want: full},
	{name: "reify", source: `(defprotocol P (m [x])) (loop [i 0 acc ()] (recur (inc i) (conj acc (reify P (m [_] i)))))`, want: full},
	{name: "multimethods", source: `(defmulti f identity) (loop [i 0] (defmethod f i [x] [x i]) (recur (inc i)))`, want: full, slow: true},
	{name: "hierarchy", source: `(loop [i 0 h (make-hierarchy)] (recur (inc i) (derive h (keyword "a" (str "x" i)) ::top)))`, want: full, slow: true},
	keep("arrays", `(int-array (mod i 100))`),
	{name: "array doubled", source: `(loop [n 1] (object-array n) (recur (* 2 n)))`, want: full},
	{name: "array copied", source: `(loop [n 1] (aclone (long-array n)) (recur (* 2 n)))`, want: full},
	{name: "array of arrays", source: `(loop [n 1] (make-array Object n n) (recur (* 2 n)))`, want: full},
	keep("uuids and instants", `[(random-uuid) (java.util.Date. i)]`),
	keep("bytes of strings", `[(.getBytes (str "é" i) "UTF-16") (.toCharArray (str i)) (String. (.getBytes (str i)))]`),
	keep("digests", `(doto (java.security.MessageDigest/getInstance "SHA-256") (.update (.getBytes (str i))))`),
	keep("sums of digests", `(.digest (java.security.MessageDigest/getInstance "MD5") (.getBytes (str i)))`),
	keep("Base64", `(.encodeToString (java.util.Base64/getMimeEncoder) (.getBytes (apply str (repeat (mod i 100) "ab"))))`),
	{name: "Base64 of itself", source: `(loop [s "x"] (recur (.encodeToString (java.util.Base64/getEncoder) (.getBytes s))))`, want: full},
	{name: "URLEncoder of itself", source: `(loop [s "%"] (recur (java.net.URLEncoder/encode (str s s) "UTF-8")))`, want: full},
	keep("URIs", `(.resolve (java.net.URI. "http://a/b/c") (str "d" i))`),
	keep("Optionals and UUIDs", `[(java.util.Optional/of i) (java.util.UUID. i i) (java.util.UUID/nameUUIDFromBytes (.getBytes (str i)))]`),
	{name: "StringJoiner", source: `(let [j (java.util.StringJoiner. ",")] (loop [] (.add j "abcdefghij") (recur)))`, want: full},
	{name: "ByteArrayOutputStream", source: `(let [o (java.io.ByteArrayOutputStream.)] (loop [] (.write o (.getBytes "abcdefghij")) (recur)))`, want: full},
	keep("formats of java.text", `[(.format (java.text.DecimalFormat. "#,##0.00") i) (.format (java.text.SimpleDateFormat. "yyyy-MM-dd") i)]`),
	keep("BitSets", `(doto (java.util.BitSet.) (.set (mod i 1000)) (.flip 0 (mod i 99)))`),
	{name: "BitSet doubled", source: `(let [b (java.util.BitSet.)] (loop [i 64] (.set b i) (recur (* 2 i))))`, want: full},
	keep("tokens", `(.nextToken (java.util.StringTokenizer. (str i ",a") ","))`),
	keep("tokens of a Scanner", `(.next (.useDelimiter (java.util.Scanner. (str i ",a")) ","))`),
	keep("messages", `(java.text.MessageFormat/format "{0} of {1}" (to-array [i "a"]))`),
	keep("lists without elements", `(doto (java.util.ArrayList. (range (mod i 50))) (.removeAll [1 2]) (.retainAll (range 9)))`),
	keep("BigIntegers of bytes", `(BigInteger. 1 (.toByteArray (biginteger (+ i 1000000))))`),
	keep("exceptions", `(ex-info (str "e" i) {:i i})`),
	{name: "exceptions with causes", source: `(loop [e nil] (recur (ex-info "e" {:a 1} e)))`, want: full},
	keep("exceptions caught", `(try (throw (ex-info "x" {:i i})) (catch Exception e e))`),
	keep("exceptions of builtins", `(try (nth [1 2] (+ 5 i)) (catch Exception e e))`),
	keep("ex-data copies", `(Throwable->map (ex-info "x" {:i i}))`),

	// Reading and printing.
	{name: "pr-str", source: `(loop [v [1 "a" :b]] (pr-str v) (recur (conj v v)))`, want: full + "|nesting-too-deep"},
	{name: "pr-str grown", source: `(loop [v "x"] (recur (pr-str v v)))`, want: full},
	{name: "with-out-str", source: `(with-out-str (loop [] (println "abcdefghij") (recur)))`, want: full},
	{name: "with-out-str nested", source: `(defn f [n] (with-out-str (print (f (inc n)) "abc"))) (f 0)`, want: full + "|depth-exceeded"},
	keep("with-out-str results", `(with-out-str (print i))`),
	{name: "print of large data", source: `(loop [n 1] (prn (range n)) (recur (* 2 n)))`, want: full + "|ok|steps-exceeded"},
	{name: "pprint", source: `(loop [n 1] (with-out-str (clojure.pprint/pprint (mapv (fn [i] {:a i :b [i]}) (range n)))) (recur (* 2 n)))`, want: full},
	{name: "print-table", source: `(loop [n 1] (with-out-str (clojure.pprint/print-table (mapv (fn [i] {:a i :b [i]}) (range n)))) (recur (* 2 n)))`, want: full},
	{name: "cl-format and format", source: `(loop [i 0 acc ()] (recur (inc i) (conj acc (format "%5d %s %.3f %x" i "abc" (* i 1.0) i))))`, want: full},
	{name: "JSON written", source: `(loop [n 1] (json/write (mapv (fn [i] {:a i :b "x\n"}) (range n))) (recur (* 2 n)))`, want: full},
	{name: "JSON read", source: `(loop [n 1] (json/parse (str "[" (clojure.string/join "," (repeat n "{\"a\":[1,2.5,\"xy\"]}")) "]")) (recur (* 2 n)))`, want: full},
	{name: "JSON read and kept", source: `(let [s "{\"a\":[1,2.5,\"xy\",null],\"b\":{\"c\":\"d\"}}"] (loop [acc ()] (recur (conj acc (json/parse s)))))`, want: full},
	{name: "JSON of many keys", source: `(let [s (str "{" (clojure.string/join "," (map (fn [i] (str "\"key" i "\":" i)) (range 200))) "}")] (loop [acc ()] (recur (conj acc (json/parse s)))))`, want: full},
	{name: "EDN read", source: `(loop [n 1] (clojure.edn/read-string (str "[" (apply str (repeat n "{:a #{1 2} :b \"x\"} ")) "]")) (recur (* 2 n)))`, want: full + "|source-too-large"},
	{name: "EDN read and kept", source: `(loop [acc ()] (recur (conj acc (clojure.edn/read-string "{:a [1 2 foo/bar \"x\" 1.5M 1/3] :b #{:c} :d (1 2)}"))))`, want: full},
	keep("read-string", `(read-string (str "(fn [x] (+ x " i " \"abc\"))"))`),
	{name: "read-string of tags", source: `(loop [acc ()] (recur (conj acc (read-string "#inst \"2020-01-01\""))))`, want: full},
	keep("eval", `(eval (list '+ i 1))`).ends(full + "|source-too-large"),
	keep("eval of functions", `(eval (list 'fn '[x] (list '+ 'x i) (str i)))`).ends(full + "|source-too-large"),
	{name: "eval of large constants", source: `(loop [acc ()] (recur (conj acc (eval (vec (repeat 100 "abc"))))))`, want: full + "|source-too-large"},
	{name: "eval of a large form", source: `(eval (list* 'do (repeat 20000 '(let [a 1 b 2] (if a (inc b) (dec a))))))`, want: full + "|source-too-large|ok"},
	{name: "eval of a large macro", source: `(defmacro m [n] (vec (repeat n '[1 2 3]))) (loop [n 1] (eval (list 'm n)) (recur (* 2 n)))`, want: full + "|source-too-large"},
	{name: "macroexpand", source: `(loop [acc ()] (recur (conj acc (macroexpand '(defn f [{:keys [a b]}] (cond a 1 b 2))))))`, want: full},

	// Patterns.
	{name: "re-seq", source: `(let [s (apply str (repeat 1000 "ab1 "))] (loop [acc ()] (recur (conj acc (doall (re-seq #"(\w)(\w)" s))))))`, want: full},
	{name: "re-find kept", source: `(let [s (str (apply str (repeat 1000 "ab1 ")) "key=value")] (loop [acc ()] (recur (conj acc (re-find #"(\w+)=(\w+)" s)))))`, want: full},
	{name: "re-matcher", source: `(let [s (apply str (repeat 1000 "ab1 "))] (loop [acc ()] (recur (conj acc (let [m (re-matcher #"b" s)] (re-find m) m)))))`, want: full},
	keep("patterns", `(re-pattern (str "a" i "(b|c)*[x-z]{2,5}"))`),
	{name: "large patterns", source: `(loop [i 0 acc ()] (recur (inc i) (conj acc (re-pattern (str "(a" i "\\p{L}{1,9}|\\w{5,20}|[^a-f]+){1,5}")))))`, want: full},
	drop("pattern garbage", "2000", `(re-pattern (str "a" i "(b|c)*"))`),
	drop("matching garbage", "300", `(count (re-seq #"(a)(b)?" (apply str (repeat 300 "ab"))))`),

	// Trees and structure.
	{name: "postwalk", source: `(loop [v [1 2 {:a 3}]] (recur [(clojure.walk/postwalk identity v) v]))`, want: full + "|nesting-too-deep|steps-exceeded", slow: true},
	{name: "keywordize", source: `(let [m (zipmap (map str (range 100)) (range))] (loop [acc ()] (recur (conj acc (clojure.walk/keywordize-keys m)))))`, want: full},
	{name: "zipper", source: `(loop [z (clojure.zip/vector-zip [1 [2 3]])] (recur (clojure.zip/down (clojure.zip/insert-child z [1 2]))))`, want: full},
	{name: "destructuring", source: `(defn f [{:keys [a b] :as m} & {:keys [x]}] [a b m x]) (loop [i 0 acc ()] (recur (inc i) (conj acc (f {:a i :b 2} :x i))))`, want: full},
	{name: "string interleaved garbage", source: `(dotimes [i 30000] (clojure.string/join "," (map str (range 10))))`, want: fair},
}

// ends returns the program with other error codes at its end.
func (p program) ends(want string) program {
	p.want = want
	return p
}
