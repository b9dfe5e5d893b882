(def win? (memoize (fn [heap] (some (fn [k] (and (<= k heap) (not (win? (- heap k))))) [1 2 3]))))
(println (map (fn [n] (if (win? n) \W \L)) (range 13)))
(defn best [heap] (first (filter #(and (<= % heap) (not (win? (- heap %)))) [1 2 3])))
(loop [heap 10 turn 0]
  (if (zero? heap)
    (println "player" (- 1 (mod turn 2)) "took the last stone")
    (let [m (or (best heap) 1)]
      (println "player" (mod turn 2) "takes" m "of" heap)
      (recur (- heap m) (inc turn)))))
(defn nim-sum [heaps] (reduce bit-xor heaps))
(map nim-sum [[3 4 5] [1 2 3] [7]])
