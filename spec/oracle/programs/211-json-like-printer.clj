(require '[clojure.string :as str])
(defn to-json [x]
  (cond (nil? x) "null" (string? x) (pr-str x) (keyword? x) (pr-str (name x)) (or (number? x) (boolean? x)) (str x)
        (map? x) (str "{" (str/join "," (for [[k v] (sort-by (comp str key) x)] (str (to-json (if (keyword? k) k (str k))) ":" (to-json v)))) "}")
        (coll? x) (str "[" (str/join "," (map to-json x)) "]") :else (throw (ex-info "unsupported" {:x x}))))
(println (to-json {:a [1 2.5 nil true "q\"s"] :b {:c #{} 1 :kw}}))
(defn parse-json [s]
  (letfn [(ws [i] (if (and (< i (count s)) (Character/isWhitespace (nth s i))) (recur (inc i)) i))
          (value [i] (let [i (ws i) c (nth s i)]
                       (cond (= c \{) (object (ws (inc i)) {}) (= c \[) (array (ws (inc i)) []) (= c \") (string (inc i) "")
                             (str/starts-with? (subs s i) "true") [true (+ i 4)] (str/starts-with? (subs s i) "false") [false (+ i 5)] (str/starts-with? (subs s i) "null") [nil (+ i 4)]
                             :else (let [n (re-find #"^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?" (subs s i))] [(read-string n) (+ i (count n))]))))
          (string [i acc] (case (nth s i) \" [acc (inc i)] \\ (recur (+ i 2) (str acc ({\n \newline \t \tab} (nth s (inc i)) (nth s (inc i))))) (recur (inc i) (str acc (nth s i)))))
          (array [i acc] (if (= \] (nth s i)) [acc (inc i)] (let [[v i] (value i) i (ws i)] (if (= \, (nth s i)) (recur (ws (inc i)) (conj acc v)) [(conj acc v) (inc i)]))))
          (object [i acc] (if (= \} (nth s i)) [acc (inc i)] (let [[k i] (value i) [v i] (value (inc (ws i))) i (ws i) acc (assoc acc (keyword k) v)] (if (= \, (nth s i)) (recur (ws (inc i)) acc) [acc (inc i)]))))]
    (first (value 0))))
(println (parse-json "{\"a\": [1, -2.5, 1e3, true, null], \"b\": {\"c\": \"x\\\"y\\n\"}, \"d\": []}"))
(println (= {:a [1 {:b nil}]} (parse-json (to-json {:a [1 {:b nil}]}))))
