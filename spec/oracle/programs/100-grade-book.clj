(def grades {"Ann" [90 85 77] "Bob" [60 72 65] "Cyd" [88 92 95] "Dee" []})
(defn average [xs] (when (seq xs) (/ (reduce + xs) (count xs))))
(defn letter [avg] (condp <= avg 90 "A" 80 "B" 70 "C" 60 "D" "F"))
(doseq [[student scores] (sort grades)]
  (if-let [avg (average scores)]
    (println (format "%-5s %6.2f %s" student (double avg) (letter avg)))
    (println (format "%-5s %6s" student "n/a"))))
(def ranked (->> grades (keep (fn [[s g]] (when-let [a (average g)] [s a]))) (sort-by second >)))
(println "Top:" (ffirst ranked))
(println (map-indexed (fn [i [s _]] (str (inc i) "." s)) ranked))
(into (sorted-map) (map (fn [[k v]] [k (mapv first v)])) (group-by (comp letter second) ranked))
