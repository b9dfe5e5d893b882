(defn prime? [n]
  (and (> n 1)
       (not-any? #(zero? (rem n %)) (take-while #(<= (* % %) n) (iterate inc 2)))))

(def primes
  ((fn step [sieve n]
     (lazy-seq
      (if-let [factors (get sieve n)]
        (step (reduce (fn [m f] (update m (+ n f) conj f)) (dissoc sieve n) factors) (inc n))
        (cons n (step (assoc sieve (* n n) [n]) (inc n))))))
   {} 2))

(println (take 15 primes))
(println (nth primes 100))
(println (take-while #(< % 50) (filter prime? (range))))
(println (first (drop-while #(< % 1000) primes)))
(defn factorize [n]
  (loop [n n ps primes acc []]
    (let [p (first ps)]
      (cond (= n 1) acc
            (zero? (rem n p)) (recur (quot n p) ps (conj acc p))
            :else (recur n (rest ps) acc)))))
(doseq [n [12 97 360 1001 65536]]
  (println n "=" (interpose '* (factorize n))))
(frequencies (factorize 5040))
