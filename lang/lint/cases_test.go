package lint_test

import (
	"context"
	"encoding/json"

	"github.com/ptc-lang/ptc/runtime/tool"
)

func toolFunc(called func()) tool.Func {
	return func(context.Context, json.RawMessage) (json.RawMessage, error) {
		called()
		return json.RawMessage(`{"next":1}`), nil
	}
}

// checkCases are programs with what is told of them, and what they become when fixed: ""
// for those that stay as they are.
var checkCases = []struct{ source, want, fixed string }{
	// Bindings.
	{"(let [x 1] 2)", "unused-binding x", "(let [_x 1] 2)"},
	{"(let [_x 1 _ 2] 2)", "", ""},
	{"(let [x 1])", "unused-binding x", ""}, // the body is missing, and not the name
	{"(let [x 1 x (inc x)] x)", "", ""},
	{"(let [x 1 _x 2] _x)", "unused-binding x", ""},
	{"(fn [a & more] a)", "unused-binding more", "(fn [a & _more] a)"},
	{"(defn f [a] 1) (f 1)", "unused-binding a", "(defn f [_a] 1) (f 1)"},
	{"(defn f ([a] 1) ([a b] b)) (f 1)", "unused-binding a; unused-binding a", "(defn f ([_a] 1) ([_a b] b)) (f 1)"},
	{"(defmacro m [x] 1) (m 1)", "unused-binding x", "(defmacro m [_x] 1) (m 1)"},
	{"(let [[a b] [1 2]] a)", "unused-binding b", "(let [[a _b] [1 2]] a)"},
	{"(let [{:keys [a b c]} {}] b)", "unused-binding a; unused-binding c", "(let [{:keys [b]} {}] b)"},
	{"(let [{:keys [a] :or {a 1}} {}] 2)", "unused-binding a", ""},
	{"(let [{a :a :as m} {}] a)", "unused-binding m", "(let [{a :a :as _m} {}] a)"},
	{"(let [{:keys [a ^long b]} {:a 1}] a)", "unused-binding b", ""},
	{"[1(if true 2 3)4]", "unreachable-code 3", "[1 2 4]"},
	{"(str(if true 1 2))", "unreachable-code 2", "(str 1)"},
	{"(let [{:strs [a ; why\n b]} {}] a)", "unused-binding b", ""},
	{"(loop [i 0 acc []] (if (< i 3) (recur (inc i) acc) i))", "", ""},
	{"(loop [i 0 n 1] (if (< i 3) (recur (inc i) 2) i))", "unused-binding n", "(loop [i 0 _n 1] (if (< i 3) (recur (inc i) 2) i))"},
	{"(for [x [1] y [2]] x)", "unused-binding y", "(for [x [1] _y [2]] x)"},
	{"(doseq [x [1] :let [y x]] (println x))", "unused-binding y", "(doseq [x [1] :let [_y x]] (println x))"},
	{"(dotimes [i 3] (println 1))", "unused-binding i", "(dotimes [_i 3] (println 1))"},
	{"(letfn [(f [x] x) (g [] 1)] (f 1))", "unused-binding g", "(letfn [(f [x] x) (_g [] 1)] (f 1))"},
	{"(if-let [x (first [1])] 1 2)", "unused-binding x", "(if-let [_x (first [1])] 1 2)"},
	{"(when-let [[a b] (seq [1 2])] a)", "unused-binding b", "(when-let [[a _b] (seq [1 2])] a)"},
	{"(try 1 (catch Exception e 2))", "", ""},
	{"(fn self [] 1)", "", ""},
	{"(map #(str %2) [1] [2])", "", ""},
	{"(as-> 1 $ (inc $))", "", ""},
	{"(defprotocol P (m [this x])) (defrecord R [a b] P (m [this x] a)) (m (->R 1 2) 3)", "", ""},
	{"(reify Object (toString [this] \"x\"))", "", ""},
	{"(defmulti area :shape) (defmethod area :dot [shape] 0) (area {:shape :dot})", "unused-binding shape",
		"(defmulti area :shape) (defmethod area :dot [_shape] 0) (area {:shape :dot})"},
	{"(defmacro ignore [& body] nil) (let [x 1] (ignore x))", "unused-binding body", "(defmacro ignore [& _body] nil) (let [x 1] (ignore x))"},
	{"(let [x 1] (comment x))", "", ""},
	{"(defmacro twice [x] `(let [y# ~x] (+ y# y#))) (twice (let [z 1] 2))", "", ""},
	{"(let [^String s \"a\"] 1)", "unused-binding s", "(let [^String _s \"a\"] 1)"},
	{"(let [x 1] #_x 2)", "unused-binding x", "(let [_x 1] #_x 2)"},

	// Definitions.
	{"(defn- f [] 1) 2", "unused-private f", ""},
	{"(defn- f [] 1) (f)", "", ""},
	{"(defn- f [n] (f n)) 2", "unused-private f", ""},
	{"(def ^:private x 1) 2", "unused-private x", ""},
	{"(defn- f [] 1) ((resolve 'f))", "", ""},
	{"(defn map [f] f) (map 1)", "shadowed-builtin map", ""},
	{"(ns a (:refer-clojure :exclude [map])) (defn map [f] f) (map 1)", "", ""},
	{"(let [count 3] (count [1]))", "shadowed-builtin count", ""},
	{"(let [count 3 name \"a\"] [count name])", "", ""},
	{"(let [inc (fn [x] (+ 2 x))] (inc 1))", "", ""},
	{"(defn f [list] (list 1 2)) (f list)", "shadowed-builtin list", ""},
	{"(letfn [(even? [n] n)] (even? 1))", "", ""},
	{"(defn f [] (def x 1)) (f)", "inline-def x", ""},
	{"(let [x 1] (def y x)) y", "", ""},

	// Branches.
	{"(if true 1 2)", "unreachable-code 2", "1"},
	{"(if nil 1 2)", "unreachable-code 1", "2"},
	{"(if :a 1)", "constant-test :a", ""},
	{"(if [] 1 2)", "unreachable-code 2", "1"},
	{"(if false 1 ; no\n 2)", "unreachable-code 1", ""},
	{"(when false (println 1))", "unreachable-code (println 1)", ""},
	{"(when-not true (println 1) 2)", "unreachable-code (println 1) 2", ""},
	{"(when true 1)", "constant-test true", ""},
	{"(while true (return 1))", "", ""},
	{"(let [x 1] (cond (= x 1) :a :else :b))", "", ""},
	{"(let [x 1] (cond :else :b (= x 1) :a))", "unreachable-code (= x 1) :a", "(let [_x 1] (cond :else :b))"},
	{"(let [x 1] (cond (= x 1) :a (= x 2) :b (= x 1) :c))", "duplicate-test (= x 1)", ""},
	{"(let [x (atom 1)] (cond (= @x 1) :a (= @x 1) :c))", "", ""},
	{"(let [x 1] (if (= x 1) :a (if (= x 1) :b :c)))", "duplicate-test (= x 1)", ""},
	{"(let [x 1] (or x :none))", "", ""},
	{"(let [x 1] (or :none x))", "unreachable-code x", ""},
	{"(and nil (println 1))", "unreachable-code (println 1)", ""},
	{"(let [] (return 1) (println 2))", "unreachable-code (println 2)", ""},
	{"(defn f [] (throw (ex-info \"x\" {})) (println 2)) (f)", "unreachable-code (println 2)", ""},
	{"(defn f [x] (when x (fail \"no\")) (println 2)) (f 1)", "", ""},

	// Values.
	{"(defn f [x] (conj x 1) x) (f [])", "unused-value (conj x 1)", ""},
	{"(defn f [] \"doc\" (println 1)) (f)", "unused-value \"doc\"", ""},
	{"(defn f [xs] (map println xs) nil) (f [])", "unused-value (map println xs)", ""},
	{"(defn f [xs] (mapcat println xs) nil) (f [])", "", ""}, // it calls its function for the first elements
	{"(defn f [xs] (first xs) nil) (f [])", "", ""},
	{"(defn f [xs] (count (map println xs)) nil) (f [])", "", ""},
	{"(defn f [x y] (= x y) x) (f 1 2)", "", ""}, // it would realise a lazy sequence
	{"(defn f [xs] (clojure.string/join [(map println xs)]) nil) (f [])", "", ""},
	{"(defn f [xs] (sort (fn [a b] (println a) (< a b)) xs) nil) (f [])", "", ""},
	{"(defn f [xs] (map (do (println 1) inc) xs) nil) (f [])", "", ""},
	{"(defn f [n xs] (repeatedly n println) (partition-by println xs) nil) (f 1 [])", "unused-value (repeatedly n println); unused-value (partition-by println xs)", ""},
	{"(defn f [] (ex-info \"no\" {}) nil) (f)", "unused-value (ex-info \"no\" {})", ""},
	{"(defn f [a] (aset a 0 1) (aget a 0) a) (f (long-array 1))", "unused-value (aget a 0)", ""},
	{"(let [] (-> {} (assoc :a 1)) 2)", "unused-value (-> {} (assoc :a 1))", ""},
	{"(try (inc nil) :none (catch Exception e :failed))", "", ""},
	{"(let [] (println 1) (swap! (atom 1) inc) 2)", "", ""},
	{"(inc 1) (inc 2)", "", ""},
	{"(= 1)", "single-operand (= 1)", ""},
	{"(-> 1 (= 1))", "", ""},
	{"(not= 1)", "single-operand (not= 1)", ""},

	// Tools.
	{`(tool/find {:query "a" :limit 3})`, "", ""},
	{`(tool/find "a")`, "", ""},
	{`(tool/find nil)`, "", ""},
	{`(tool/find :query "a")`, "", ""},
	{`(tool/find {:qurey "a"})`, "tool-argument :qurey", `(tool/find {:query "a"})`},
	{`(tool/find {:limit 1})`, "tool-argument tool/find", ""},
	{`(tool/find {})`, "tool-argument tool/find", ""},
	{`(tool/find)`, "tool-argument tool/find", ""},
	{`(tool/find {:query 1})`, "tool-argument 1", ""},
	{`(tool/find 1)`, "tool-argument tool/find", ""},
	{`(fn [q] (tool/find {:query q :limit "many"}))`, `tool-argument "many"`, ""},
	{`(fn [q] (tool/find {:query q :limit 10}))`, "tool-argument 10", ""},
	{`(fn [q] (tool/find {:query q :kind :c}))`, "tool-argument :c", ""},
	{`(fn [q] (tool/find q))`, "", ""},
	{`(fn [q k] (tool/find {:query q k 1}))`, "", ""},
	{`(fn [q] (-> {:query q} tool/find :next))`, "", ""},

	// Parallel operations.
	{`(pmap (fn [q] (tool/find {:query q})) ["a"])`, "", ""},
	{`(pmap (fn [q] (tool/put {:query q})) ["a"])`, "ordered-effects pmap", ""},
	{`(pmap tool/put ["a"])`, "ordered-effects pmap", ""},
	{`(defn save [q] (tool/put {:query q})) (pcalls #(save "a") #(save "b"))`, "ordered-effects pcalls", ""},
	{`(pmap (fn [q] (global-exclusive (tool/put {:query q}))) ["a"])`, "", ""},
	{`(pmap (fn [q] (host-exclusive (tool/put {:query q}) 1)) ["a"])`, "ordered-effects pmap", ""},
	{`(host-exclusive (first (pmap (fn [q] (tool/put {:query q}) "h") ["a"])) 1)`, "ordered-effects pmap", ""},
	{`(pmap tool/mark ["a"])`, "", ""},
	{`(pmap (fn [h] (tool/visit {:host h :what "x"})) ["a"])`, "", ""},
	{`(pmap tool/visit ["a"])`, "", ""},
	{`(pmap (fn [x] (tool/visit {:host "a" :what x})) ["a"])`, "ordered-effects pmap", ""},
	{`(let [a (atom 0)] (pmap (fn [x] (swap! a + x)) [1]))`, "ordered-effects pmap", ""},
	{`(def a (atom 0)) (pmap (fn [x] (swap! a + x)) [1])`, "ordered-effects pmap", ""},
	{`(def r (ref 0)) (pmap (fn [x] (dosync (alter r + x))) [1])`, "ordered-effects pmap", ""},
	{`(pmap (fn [x] (let [r (ref 0)] (dosync (commute r + x)))) [1])`, "", ""},
	{`(pmap (fn [x] (let [a (atom 0)] (swap! a + x))) [1])`, "", ""},
	{`(pmap println [1])`, "", ""},

	// Errors with a replacement.
	{"(length [1])", "unknown-name length", "(count [1])"},
	{"(println (upper-case \"a\") null)", "unknown-name upper-case; unknown-name null", "(println (str/upper-case \"a\") nil)"},
	{"(str/count [1])", "unknown-name str/count", "(count [1])"},
	{"(blank? \"\")", "unknown-name blank?", "(str/blank? \"\")"},
	{"(join [1])", "unknown-name join", ""},
	{"(file-seq 1)", "unsupported file-seq", ""},
	{"(get)", "wrong-arity (", ""},
	{"(get 0 :price)", "wrong-argument (get 0 :price)", ""},
	{"(-> 1 ((fn [5] 2)))", "bad-form (", ""},
	{"(-> 1 (+ (fn [5] 2)))", "bad-form (", ""},
	{"(:a (get))", "wrong-arity (", ""},
}
