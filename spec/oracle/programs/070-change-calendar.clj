(defn leap? [y] (and (zero? (mod y 4)) (or (pos? (mod y 100)) (zero? (mod y 400)))))
(defn days-in-month [y m] (case m 2 (if (leap? y) 29 28) (4 6 9 11) 30 31))
(defn day-of-week [y m d]
  (let [t [0 3 2 5 0 3 5 1 4 6 2 4] y (if (< m 3) (dec y) y)]
    (mod (+ y (quot y 4) (- (quot y 100)) (quot y 400) (t (dec m)) d) 7)))
(defn calendar [y m]
  (println (format "%11d-%02d" y m))
  (println "Su Mo Tu We Th Fr Sa")
  (let [cells (concat (repeat (day-of-week y m 1) "  ") (map #(format "%2d" %) (range 1 (inc (days-in-month y m)))))]
    (doseq [week (partition-all 7 cells)] (println (apply str (interpose " " week))))))
(calendar 2024 2)
(println (filter leap? [1900 2000 2023 2024]))
(reduce + (map #(days-in-month 2024 %) (range 1 13)))
