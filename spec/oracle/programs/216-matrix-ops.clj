(defn mmul [a b] (let [bt (apply map vector b)] (mapv (fn [r] (mapv #(reduce + (map * r %)) bt)) a)))
(defn identity-m [n] (vec (for [i (range n)] (vec (for [j (range n)] (if (= i j) 1 0))))))
(defn mpow [m n] (cond (zero? n) (identity-m (count m)) (even? n) (let [h (mpow m (/ n 2))] (mmul h h)) :else (mmul m (mpow m (dec n)))))
(println (mmul [[1 2] [3 4]] [[5 6] [7 8]]) (mpow [[1 1] [1 0]] 30) (apply mapv vector [[1 2 3] [4 5 6]]))
(defn det [m] (if (= 1 (count m)) (ffirst m) (reduce + (map-indexed (fn [j x] (* x (if (even? j) 1 -1) (det (mapv #(into (subvec % 0 j) (subvec % (inc j))) (rest m))))) (first m)))))
(println (det [[2 0 1] [1 3 2] [1 1 1]]) (det [[1/2 1] [2 3]]))
(defn rotate [m] (apply mapv (comp vec reverse list) m))
(println (rotate [[1 2 3] [4 5 6]]) (map #(reduce + %) (rotate [[1 2] [3 4]])))
(defn gauss [m]
  (let [n (count m)]
    (reduce (fn [m i]
              (let [p (first (filter #(not (zero? (get-in m [% i]))) (range i n)))
                    m (assoc m i (m p) p (m i))
                    row (mapv #(/ % (get-in m [i i])) (m i))]
                (vec (map-indexed (fn [k r] (if (= k i) row (mapv - r (map #(* (r i) %) row)))) m))))
            m (range n))))
(println (map peek (gauss [[2 1 -1 8] [-3 -1 2 -11] [-2 1 2 -3]])))
