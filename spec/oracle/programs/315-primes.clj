(defn sieve [n]
  (let [s (boolean-array (inc n) true)]
    (doseq [i (range 2 (inc (Math/sqrt n))) :when (aget s i) j (range (* i i) (inc n) i)]
      (aset s j false))
    (filter #(aget s %) (range 2 (inc n)))))
(println (sieve 50))
(defn prime-factors [n]
  (loop [n n f 2 acc []]
    (cond (= n 1) acc (zero? (rem n f)) (recur (quot n f) f (conj acc f)) :else
          (recur n (if (> (* f f) n) n (inc f)) acc))))
(println (prime-factors 360) (frequencies (prime-factors 5040))
         (map #(reduce * %) [(prime-factors 97)]))
(defn gcd [a b] (if (zero? b) a (recur b (mod a b))))
(println (gcd 48 36) (reduce gcd [12 18 24]) (.gcd (biginteger 48) (biginteger 36))
         (.modPow (biginteger 3) (biginteger 200) (biginteger 13)) (.isProbablePrime (biginteger 7919) 20))
(defn perfect? [n] (= n (reduce + (filter #(zero? (mod n %)) (range 1 n)))))
(println (filter perfect? (range 2 500)))
