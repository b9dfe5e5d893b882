(defn spiral [m]
  (when (seq m)
    (concat (first m) (lazy-seq (when (next m) (spiral (reverse (apply map vector (rest m)))))))))
(println (spiral [[1 2 3] [4 5 6] [7 8 9]]))
(println (spiral [[1 2 3 4] [5 6 7 8]]))
(defn rotate [m] (apply mapv vector (reverse m)))
(run! println (rotate [[1 2] [3 4] [5 6]]))
(defn make-spiral [n]
  (loop [i 1 [r c] [0 0] [dr dc] [0 1] m {}]
    (if (> i (* n n))
      (for [r (range n)] (for [c (range n)] (m [r c])))
      (let [m (assoc m [r c] i) nxt [(+ r dr) (+ c dc)]
            blocked? (or (m nxt) (not (every? #(< -1 % n) nxt)))
            [dr dc] (if blocked? [dc (- dr)] [dr dc])]
        (recur (inc i) [(+ r dr) (+ c dc)] [dr dc] m)))))
(doseq [row (make-spiral 4)] (println (apply str (map #(format "%3d" %) row))))
