; The lazy sieve of textbooks, and primes by trial division.
(defn sieve [s] (lazy-seq (let [p (first s)] (cons p (sieve (remove #(zero? (mod % p)) (rest s)))))))
(defn prime? [n] (and (> n 1) (not-any? #(zero? (rem n %)) (take-while #(<= (* % %) n) (iterate inc 2)))))
(defn kernel []
  (+ (nth (sieve (iterate inc 2)) 250)
     (count (filter prime? (range 4000)))))
