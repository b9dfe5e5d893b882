(defn mean [xs] (/ (reduce + xs) (count xs)))
(defn median [xs]
  (let [s (vec (sort xs)) n (count s) m (quot n 2)]
    (if (odd? n) (s m) (/ (+ (s m) (s (dec m))) 2))))
(defn mode [xs] (let [f (frequencies xs) mx (apply max (vals f))] (sort (map key (filter #(= mx (val %)) f)))))
(defn variance [xs] (let [m (mean xs)] (mean (map #(let [d (- % m)] (* d d)) xs))))
(defn stddev [xs] (Math/sqrt (variance xs)))
(def xs [2 4 4 4 5 5 7 9])
(println "mean" (mean xs) "median" (median xs) "mode" (mode xs) "var" (variance xs) "sd" (stddev xs))
(println (mean [1 2 4]) (median [3 1 2]) (mode [1 1 2 2 3]))
(defn histogram [xs]
  (doseq [[k n] (into (sorted-map) (frequencies xs))] (println (format "%2d %s" k (apply str (repeat n "*"))))))
(histogram xs)
(defn moving-average [n xs] (map mean (partition n 1 xs)))
(println (moving-average 3 xs))
(let [zs (map #(/ (- % (mean xs)) (stddev xs)) xs)] (mapv #(format "%.2f" %) zs))
