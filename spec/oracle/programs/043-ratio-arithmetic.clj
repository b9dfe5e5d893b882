(defn harmonic [n] (reduce + (map / (range 1 (inc n)))))
(doseq [n [1 2 3 4 10]] (println n (harmonic n) (double (harmonic n))))
(defn egyptian [r]
  (loop [r r out []]
    (if (zero? r) out
        (let [d (long (Math/ceil (double (/ 1 r))))]
          (recur (- r (/ 1 d)) (conj out (/ 1 d)))))))
(println (egyptian 5/6) (egyptian 7/15))
(println (numerator 6/8) (denominator 6/8) (rationalize 0.75) (* 4 1/4) (class (* 4 1/4)))
(defn continued-fraction [r] (let [i (long (Math/floor (double r))) f (- r i)] (if (zero? f) [i] (into [i] (continued-fraction (/ 1 f))))))
(println (continued-fraction 415/93))
(println (reduce (fn [acc x] (+ x (/ 1 acc))) (reverse [4 2 6 7])))
(sort [1/2 0.3 2 1/3 0.5M])
