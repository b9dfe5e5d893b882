package lint_test

// testNames makes the names of clojure.test known to a program.
const testNames = "(require '[clojure.test :refer [deftest is testing]]) "

// correct are programs without mistakes, in which a value has another type than the text seems to tell, and programs in
// which another call than the one that seems wrong fails.
var correct = []mistake{
	// Branches and defaults.
	{`(let [v (if (seq data/orders) (first data/orders) {:regions 1})] (:regions v))`, "", ""},
	{`(let [v (if data/orders {:region :x} (first data/orders))] (= :x (:region v)))`, "", ""},
	{`(let [o (cond-> (first data/orders) (odd? 1) (assoc :regions 1))] (:regions o))`, "", ""},
	{`(let [v (get (first data/orders) :region :none)] (= v :none))`, "", `(let [v (get (first data/orders) :region :none)] (= v :none))`},
	{`(let [v (nth (map :region data/orders) 7 :none)] (= v :none))`, "", ""},
	{`(let [{:keys [region] :or {region :none}} (first data/orders)] (= region :none))`, "", ""},

	// Functions that are called elsewhere.
	{`(defn f [x] (= x :all)) (f (:region (first data/orders))) (apply f [:all])`, "", ""},
	{`(defn f [x] (= x :all)) (f (:region (first data/orders))) (map (comp f keyword) ["all"])`, "", ""},
	{`(defn f [x] (= x :all)) (f (:region (first data/orders))) (#'f :all)`, "", ""},
	{`(defn f [x] (= x :all)) (f (:region (first data/orders))) (let [g f] (g :all))`, "", ""},
	{`(let [f (fn [x] (= x :all))] [(map f (map :region data/orders)) (f :all)])`, "", ""},
	{`(defn f [x] (if (= x :done) 1 (recur :done))) (f (:region (first data/orders)))`, "", ""},
	{`(map (fn f [x] (if (= x :done) 1 (f :done))) (map :region data/orders))`, "", ""},
	{`(defn f [a & b] (= b :k)) (f 1 (:region (first data/orders)))`, "", ""},
	{`(defn f [a b] (:idd a)) (f (first data/orders) 1) (reduce f {} data/orders)`, "", ""},

	// Vars with other values.
	{`(def x (:region (first data/orders))) (alter-var-root #'x (constantly :a)) (= x :a)`, "", ""},
	{`(def ^:dynamic *x* (:region (first data/orders))) (binding [*x* :a] (= *x* :a))`, "", ""},
	{`(def x (:region (first data/orders))) (with-redefs [x :a] (= x :a))`, "", ""},
	{`(def ^:dynamic *f* (fn [x] x)) (binding [*f* +] (reduce *f* [1 2]))`, "", ""},
	{`(defn f [x] x) (alter-var-root #'f (fn [_] +)) (reduce f [1 2])`, "", ""},

	// Values whose type the program asks for.
	{`(let [v (:id (first data/orders))] (cond (string? v) (str/trim v) (number? v) (inc v)))`, "", ""},
	{`(let [d data/orders d (if (string? d) (json/parse d) d)] (count d))`, "", ""},
	{`(let [xs (if (map? data/orders) (:orders data/orders) data/orders)] (count xs))`, "", ""},
	{`(let [v (:region (first data/orders))] (if (keyword? v) (= v :n) (= v "n")))`, "", ""},
	{`(defn f [e] (if (instance? Exception e) (ex-message e) (:m e))) (try (inc nil) (catch Exception e (f e)))`, "", ""},
	{`(let [o (first data/orders)] (if (contains? o :regions) (:regions o) (:region o)))`, "", ""},

	// Look-ups that find nothing on purpose, and vectors whose indexes are looked up.
	{`(let [m {:apples 1}] [(get m :apple 0) (m :apple 0) (or (m :apple) 0) (or (:apple m) 0)])`, "", ""},
	{`(let [m {:apples 1}] [(get-in m [:apple] 0) (nil? (:apple m)) (some? (m :apple))])`, "", ""},
	{`(let [{:keys [apple] :or {apple 1}} {:apples 1}] apple)`, "", ""},
	{`(let [ks [0]] [(select-keys [:a :b] [0]) (select-keys [:a :b] ks) (get-in [:a :b] [0]) (get-in [:a :b] ks)])`,
		"", ""},
	{`(let [i 1] (contains? ["a" "b"] i))`, "", ""},
	{`(let [sep "-"] (str/join sep "---"))`, "", ""},

	{`(let [m {:apples 1}] (assert (= nil (:apple m))))`, "", ""},

	// Tests, which say what a value is not.
	{testNames + `(deftest t (let [s "a"] (is (not= s :a)) (testing "" (let [r (= s 'a)] (is (not r)))))) (t)`, "", ""},
	{testNames + `(deftest t (let [m {:apples 1}] (is (nil? (:apple m))) (is (not (:apple m))))) (t)`, "", ""},
	{testNames + `(deftest t (is (string? (str (map inc [1])))) (is (= "a" (format "a" 1)))) (t)`, "", ""},

	// Sets and lists of known elements.
	{`(let [tags ["x" "y"] s (set tags)] [(contains? (set tags) "x") (contains? s "y") (disj s "x")])`, "", ""},
	{`(contains? (set (map :region data/orders)) "n")`, "", ""},
	{`(let [m {:a 1}] [(nth (vec m) 0) (nth (seq m) 0) (conj (vec m) 1) (nth (filter val m) 0) (vec (set m))])`, "", ""},
	{`(let [o (first data/orders)] [(nth (seq o) 0) (conj (vec o) 1)])`, "", ""},

	// Directives that are printed.
	{`(println "date +%d" "x")`, "", ""},

	// One value on purpose.
	{`(let [x 5] [(max x) (max-key :a {:a 1})])`, "", ""},
	{`(let [x {:a 1}] (max-key :a x))`, "", ""},
	{`(let [x (count data/orders)] (max x))`, "", ""},

	// A sum whose first element is its start.
	{`(reduce (fn [a b] (+ a (:x b))) (cons 0 [{:x 1}]))`, "", ""},
	{`(reduce (fn [a b] (+ a (:x b))) (into [0] [{:x 1}]))`, "", ""},
	{`(reduce (fn [a b] (+ a (:x b))) [0 {:x 1}])`, "", ""},

	// A backslash in a replacement, before a digit.
	{`(str/replace "a1" #"(\d)" "\\\\1")`, "", ""},

	// A function that gets its body from ->>.
	{`((->> (* x x) (fn [x])) 3)`, "", ""},
	{`((->> (inc 1) (fn [])))`, "", ""},

	// The error of a run is explained by the finding about the call that failed, and not about one inside of it.
	{`(nth [1] (if true "x" (subs 5 "a")))`, `nth: got "x" (string), want a number`, ""},
	{`(str/join (map (fn [a b] a) []) 5)`, "join: got 5 (integer), want a collection", ""},
}
