(def fib (memoize (fn [n] (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))))
(println (fib 80))
(defn knap [items cap]
  (let
   [f
    (memoize
     (fn [self i c]
       (if (or (neg? i) (zero? c)) 0
           (let [[w v] (items i) skip (self self (dec i) c)]
             (if (> w c) skip (max skip (+ v (self self (dec i) (- c w)))))))))]
    (f f (dec (count items)) cap)))
(println (knap [[1 1] [3 4] [4 5] [5 7]] 7))
(defn lcs [a b]
  (let
   [t
    (reduce
     (fn [t [i j]]
       (assoc t [i j]
              (if (= (nth a (dec i)) (nth b (dec j))) (inc (get t [(dec i) (dec j)] 0))
                  (max (get t [(dec i) j] 0) (get t [i (dec j)] 0)))))
     {} (for [i (range 1 (inc (count a))) j (range 1 (inc (count b)))] [i j]))]
    (t [(count a) (count b)])))
(println (lcs "AGGTAB" "GXTXAYB"))
(println (last (take 100 (map first (iterate (fn [[a b]] [b (+' a b)]) [0 1])))))
