(defn mmul [a b]
  (let [bt (apply map vector b)] (mapv (fn [r] (mapv #(reduce + (map * r %)) bt)) a)))
(defn ident [n] (mapv (fn [i] (mapv #(if (= i %) 1 0) (range n))) (range n)))
(defn mpow [m n]
  (cond (zero? n) (ident (count m)) (even? n) (recur (mmul m m) (/ n 2)) :else
        (mmul m (mpow m (dec n)))))
(defn det [m]
  (if (= 1 (count m)) (ffirst m)
      (reduce +
              (map-indexed
               (fn [i x]
                 (* (if (even? i) 1 -1) x (det (mapv #(into (subvec % 0 i) (subvec % (inc i))) (rest m)))))
               (first m)))))
(defn transpose [m] (apply mapv vector m))
(println (mmul [[1 2] [3 4]] [[5 6] [7 8]]) (mpow [[1N 1] [1 0]] 90)
         (det [[2 0 1] [1 3 2] [1 1 4]]) (transpose [[1 2 3] [4 5 6]]))
(doseq [r (ident 3)] (println (clojure.string/join " " r)))
