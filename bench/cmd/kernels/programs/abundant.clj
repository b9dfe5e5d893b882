; Abundant numbers, by the sums of divisors.
(defn divisors [n] (filter #(zero? (rem n %)) (range 1 (inc (quot n 2)))))
(defn abundant? [n] (> (reduce + (divisors n)) n))
(defn kernel []
  (let [xs (filter abundant? (range 1 1200)), s (set xs)]
    (+ (count xs)
       (count (filter (fn [n] (some #(s (- n %)) (take-while #(< % n) xs))) (range 1 1200))))))
