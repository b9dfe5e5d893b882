(ns bank.suite
  (:require [clojure.test :as t :refer [deftest is testing are run-tests use-fixtures]]
            [clojure.string :as str] [clojure.walk :as walk] [clojure.zip :as zip] [clojure.data :as data] [clojure.set :as set]))
(def ^:dynamic *db* nil)
(def calls (atom []))
(use-fixtures :once (fn [f] (swap! calls conj :once-in) (f) (swap! calls conj :once-out)))
(use-fixtures :each (fn [f] (binding [*db* (atom {})] (swap! calls conj :each) (f))))
(defn put! [k v] (swap! *db* assoc k v))
(defn fetch-rate [c] (throw (ex-info "network" {:currency c})))
(defn convert [amount c] (* amount (fetch-rate c)))
(defn validate [{:keys [name age email]}]
  (cond-> [] (str/blank? name) (conj [:name "is missing"])
    (not (and (int? age) (<= 0 age 150))) (conj [:age "must be 0 to 150"])
    (not (re-matches #"[^@\s]+@[^@\s]+\.\w+" (or email ""))) (conj [:email "is no address"])))
(deftest validation
  (are [m n] (= n (count (validate m)))
    {:name "A" :age 5 :email "a@b.co"} 0
    {} 3
    {:name " " :age 151 :email "x"} 3
    {:name "B" :age 150 :email "b@c"} 1)
  (testing "messages" (is (= {:age ["must be 0 to 150"]} (reduce (fn [m [k v]] (update m k (fnil conj []) v)) {} (validate {:name "x" :age -1 :email "a@b.cd"}))))))
(deftest stubs
  (is (thrown-with-msg? clojure.lang.ExceptionInfo #"netw" (convert 1 :eur)))
  (with-redefs [fetch-rate {:eur 1.5}] (is (= 3.0 (convert 2 :eur))))
  (is (thrown? clojure.lang.ExceptionInfo (convert 1 :eur))))
(deftest store (put! :a 1) (is (= {:a 1} @*db*)) (testing "nested" (testing "deeper" (is (nil? (:b @*db*))))))
(deftest zippers
  (let [z (zip/vector-zip [1 [2 [3 4]] 5])
        inc-all (loop [l z] (if (zip/end? l) (zip/root l) (recur (zip/next (if (zip/branch? l) l (zip/edit l inc))))))
        no-evens (loop [l z] (if (zip/end? l) (zip/root l) (recur (zip/next (if (and (not (zip/branch? l)) (even? (zip/node l))) (zip/remove l) l)))))]
    (is (= [2 [3 [4 5]] 6] inc-all)) (is (= [1 [[3]] 5] no-evens))
    (is (= [1 [2 [:x 3 4]] 5] (-> z zip/down zip/right zip/down zip/right (zip/insert-child :x) zip/root)))
    (is (= '(1 :end) (-> (zip/seq-zip '(1)) (zip/append-child :end) zip/root)))))
(deftest diffs
  (is (= [{:a 1} {:a 2 :c 3} {:b 0}] (data/diff {:a 1 :b 0} {:a 2 :b 0 :c 3})))
  (is (= [[1 nil 3] [2 nil] [nil 2]] (data/diff [1 2 3] [2 2])))
  (is (= [#{1} #{3} #{2}] (data/diff #{1 2} #{2 3}))))
(deftest failing-on-purpose (is (= 1 (+ 1 1)) "sums") (is (pos? -1)) (is (/ 1 0)))

(def summary (atom nil)) (def out (with-out-str (binding [t/*test-out* *out*] (reset! summary (run-tests (quote bank.suite))))))
(println (dissoc @summary :type) @calls)
(println (t/successful? @summary))
(doseq [l (str/split-lines (str out)) :when (re-find #"^(FAIL|ERROR|expected|  actual|sums|Ran|\d+ fail)" l)]
  (println (str/replace l #"\([^()]*:\d+\)" "()")))
(println (walk/postwalk #(if (map? %) (into (sorted-map) %) %) {:b {:d 1 :c 2} :a [{:z 1 :y 2}]}))
(println (set/join #{{:id 1 :n "a"} {:id 2 :n "b"}} #{{:id 1 :v 10}}) (set/index #{{:a 1 :b 1} {:a 1 :b 2}} [:a]) (set/rename-keys {:a 1} {:a :z}) (set/map-invert {:a 1}))
