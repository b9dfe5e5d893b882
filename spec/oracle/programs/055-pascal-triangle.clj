(defn next-row [row] (mapv + (cons 0 row) (conj row 0)))
(def rows (iterate next-row [1]))
(doseq [r (take 7 rows)]
  (println (str (apply str (repeat (* 2 (- 7 (count r))) " ")) (apply str (map #(format "%4d" %) r)))))
(println (map #(reduce + %) (take 10 rows)))
(println (nth rows 20))
(every? #(= % (reverse %)) (take 30 rows))
