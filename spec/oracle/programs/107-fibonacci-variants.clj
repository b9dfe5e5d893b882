(defn fib-rec [n] (if (< n 2) n (+ (fib-rec (- n 1)) (fib-rec (- n 2)))))
(defn fib-loop [n] (loop [a 0 b 1 i n] (if (zero? i) a (recur b (+' a b) (dec i)))))
(def fib-memo (memoize (fn [n] (if (< n 2) n (+' (fib-memo (- n 1)) (fib-memo (- n 2)))))))
(def fib-seq (lazy-cat [0 1] (map +' fib-seq (rest fib-seq))))
(defn fib-double [n]
  (if (zero? n) [0 1]
      (let [[a b] (fib-double (quot n 2)) c (*' a (-' (*' 2 b) a)) d (+' (*' a a) (*' b b))]
        (if (even? n) [c d] [d (+' c d)]))))
(println (map fib-rec (range 15)))
(println (map #(nth fib-seq %) [10 20 50 90 100]))
(println (fib-loop 100) (fib-memo 100) (first (fib-double 100)))
(println (= (map fib-loop (range 50)) (map fib-memo (range 50)) (take 50 fib-seq) (map (comp first fib-double) (range 50))))
(take-while #(< % 1000) (filter even? fib-seq))
