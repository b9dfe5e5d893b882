(defn combos [amt coins]
  (cond (zero? amt) 1 (or (neg? amt) (empty? coins)) 0 :else
        (+ (combos (- amt (first coins)) coins) (combos amt (rest coins)))))
(println (combos 100 [50 25 10 5 1]))
(defn subsets [xs] (reduce (fn [acc x] (into acc (map #(conj % x)) acc)) [[]] xs))
(println (subsets [1 2 3]))
(defn perms [xs] (if (empty? xs) [()] (for [x xs p (perms (disj xs x))] (cons x p))))
(println (sort (map vec (perms #{1 2 3}))))
(defn combs [k xs]
  (cond (zero? k) [[]] (empty? xs) [] :else
        (concat (map #(cons (first xs) %) (combs (dec k) (rest xs))) (combs k (rest xs)))))
(println (combs 2 [:a :b :c]) (count (combs 3 (range 6))))
