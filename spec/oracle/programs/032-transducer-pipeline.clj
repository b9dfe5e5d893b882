(require '[clojure.string :as str])
(def log-lines
  ["2024-01-01 INFO start" "2024-01-01 ERROR disk full" "2024-01-02 WARN slow query"
   "2024-01-02 ERROR timeout" "garbage" "2024-01-03 INFO stop"])
(defn parse [l]
  (when-let [[_ date level msg] (re-matches #"(\S+) (INFO|WARN|ERROR) (.*)" l)]
    {:date date :level (keyword (str/lower-case level)) :msg msg}))
(def xf (comp (keep parse) (remove #(= :info (:level %))) (map #(select-keys % [:date :msg]))))
(run! prn (into [] xf log-lines))
(println (transduce (comp (keep parse) (map :level)) (completing #(update %1 %2 (fnil inc 0))) {} log-lines))
(println (sequence (comp (filter odd?) (map #(* % %)) (take 4)) (range)))
(println (into [] (comp (partition-by #(quot % 3)) (map #(reduce + %))) (range 10)))
(println (transduce (comp (dedupe) (take-nth 2)) conj [1 1 2 2 3 3 4 5 5]))
(println (vec (eduction (map inc) (filter even?) (range 6))))
(println (into #{} (comp (mapcat str) (distinct)) [123 321 45]))
(defn running-total []
  (fn [rf]
    (let [sum (volatile! 0)]
      (fn ([] (rf)) ([r] (rf r)) ([r x] (rf r (vswap! sum + x)))))))
(into [] (running-total) [1 2 3 4])
