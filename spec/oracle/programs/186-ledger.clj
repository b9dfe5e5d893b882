(require '[clojure.string :as str] '[clojure.set :as set])
(def raw "2024-01-03,groceries,-54.20,food
2024-01-05,salary,2500.00,income
2024-01-09,rent,-900.00,home
2024-02-02,groceries,-61.75,food
2024-02-05,salary,2500.00,income
2024-02-14,dinner,-80.5,food
bad line
2024-02-20,refund,20,")
(defn parse-line [n line]
  (let [parts (str/split line #"," -1)]
    (if (= 4 (count parts))
      (let [[date desc amt cat] parts]
        {:line n :date date :month (subs date 0 7) :desc desc :amount (bigdec amt) :cat (or (not-empty cat) "misc")})
      {:line n :error (str "bad line " n ": " (pr-str line))})))
(def rows (map-indexed (fn [i l] (parse-line (inc i) l)) (str/split-lines raw)))
(def good (remove :error rows))
(run! (comp println :error) (filter :error rows))
(def by-month (group-by :month good))
(doseq [[m rs] (sort by-month)]
  (println m "total" (str (reduce + (map :amount rs))))
  (doseq [[c crs] (sort-by (fn [[_ crs]] (reduce + (map :amount crs))) (group-by :cat rs))]
    (println (format "  %-8s %10.2f  (%d)" c (reduce + (map :amount crs)) (count crs)))))
(println (->> good (map :desc) frequencies (sort-by (juxt (comp - val) key)) (take 2)))
(println (reductions + (map :amount good)))
(println (apply max-key :amount good))
(println (with-precision 4 (/ (reduce + (map :amount good)) (count good))) (with-precision 3 :rounding FLOOR (/ 2M 3M)) (.setScale 2.345M 2 java.math.RoundingMode/HALF_EVEN))
(def budget #{{:cat "food" :limit 100M} {:cat "home" :limit 950M}})
(def spent (set (for [[c rs] (group-by :cat good) :let [s (- (reduce + (map :amount rs)))] :when (pos? s)] {:cat c :spent s})))
(sort-by :cat (map #(assoc % :over (> (:spent %) (:limit %))) (set/join budget spent)))
