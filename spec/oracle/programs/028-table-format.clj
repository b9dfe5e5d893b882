(require '[clojure.string :as str])
(def rows [{:name "Alice" :age 30 :city "Paris" :score 91.256}
           {:name "Bob" :age 4 :city "New York" :score 7.0}
           {:name "Christina" :age 101 :city "Oslo" :score 88.5}])
(def columns [[:name "%-10s" "%-10s"] [:age "%5d" "%5s"] [:city "%-10s" "%-10s"] [:score "%8.2f" "%8s"]])
(defn line [] (str/join "-+-" (map (fn [[k _ h]] (apply str (repeat (count (format h "")) "-"))) columns)))
(println (str/join " | " (map (fn [[k _ h]] (format h (str/capitalize (name k)))) columns)))
(println (line))
(doseq [r rows]
  (println (str/join " | " (map (fn [[k f]] (format f (k r))) columns))))
(println (line))
(println (format "%-10s | %5d | %-10s | %8.3f" "total" (reduce + (map :age rows)) "" (/ (reduce + (map :score rows)) (count rows))))
(printf "%d rows, %s%n" (count rows) (str/join "/" (map :name rows)))
(println (format "%05d %+d %x %o %e" 42 7 255 8 12345.678))
