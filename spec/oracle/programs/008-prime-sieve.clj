(defn sieve [n]
  (loop [candidates (vec (range 2 (inc n))) primes []]
    (if-let [p (first candidates)]
      (recur (vec (remove #(zero? (mod % p)) candidates)) (conj primes p))
      primes)))

(defn sieve-array [n]
  (let [marks (reduce (fn [v p]
                        (if (v p)
                          (reduce #(assoc %1 %2 false) v (range (* p p) (inc n) p))
                          v))
                      (assoc (vec (repeat (inc n) true)) 0 false 1 false)
                      (range 2 (inc (long (Math/sqrt n)))))]
    (keep-indexed (fn [i prime?] (when prime? i)) marks)))

(println (sieve 60))
(println (sieve-array 60))
(println (= (sieve 200) (sieve-array 200)))
(println "count below 1000:" (count (sieve-array 1000)))
(println "sum below 1000:" (reduce + (sieve-array 1000)))
(->> (sieve-array 100) (partition 2 1) (filter (fn [[a b]] (= 2 (- b a)))))
