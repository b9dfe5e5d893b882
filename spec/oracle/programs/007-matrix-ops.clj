(defn transpose [m] (apply mapv vector m))
(defn dot [a b] (reduce + (map * a b)))
(defn mmul [a b]
  (let [bt (transpose b)]
    (mapv (fn [row] (mapv #(dot row %) bt)) a)))
(defn identity-matrix [n]
  (mapv (fn [i] (mapv #(if (= i %) 1 0) (range n))) (range n)))
(defn minor [m i j]
  (let [drop-nth (fn [v k] (into (subvec v 0 k) (subvec v (inc k))))]
    (mapv #(drop-nth % j) (drop-nth m i))))
(defn det [m]
  (if (= 1 (count m))
    (ffirst m)
    (reduce + (map-indexed (fn [j x] (* (if (even? j) 1 -1) x (det (minor m 0 j)))) (first m)))))
(defn mpow [m n]
  (cond (zero? n) (identity-matrix (count m))
        (odd? n) (mmul m (mpow m (dec n)))
        :else (let [h (mpow m (quot n 2))] (mmul h h))))

(def a [[1 2 3] [4 5 6]])
(def b [[7 8] [9 10] [11 12]])
(println "A:" a)
(println "A^T:" (transpose a))
(println "A*B:" (mmul a b))
(println "I3:" (identity-matrix 3))
(println "det:" (det [[2 0 1] [1 3 2] [1 1 1]]))
(println "det2:" (det [[1/2 1] [1/3 4]]))
(println "fib:" (mpow [[1 1] [1 0]] 10))
(doseq [row (mmul a b)]
  (println (apply str (map #(format "%6d" %) row))))
