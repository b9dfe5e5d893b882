(defn permutations [s]
  (if (seq (rest s))
    (apply concat (for [x s] (map #(cons x %) (permutations (remove #{x} s)))))
    [s]))
(defn combinations [k s]
  (cond (zero? k) [()]
        (empty? s) []
        :else (concat (map #(cons (first s) %) (combinations (dec k) (rest s)))
                      (combinations k (rest s)))))
(defn cartesian [& colls] (reduce (fn [acc c] (for [a acc x c] (conj a x))) [[]] colls))
(defn powerset [s] (reduce (fn [acc x] (concat acc (map #(conj % x) acc))) [[]] s))
(println (permutations [1 2 3]))
(println (combinations 2 [:a :b :c :d]))
(println (cartesian [1 2] [:x :y] ["p"]))
(println (powerset [1 2 3]))
(println (map #(count (combinations % (range 6))) (range 7)))
(count (permutations (range 5)))
