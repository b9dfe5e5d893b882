(defn queens [n]
  (letfn [(safe? [qs c] (not-any? (fn [[i q]] (or (= q c) (= (Math/abs (- q c)) (inc i)))) (map-indexed vector qs)))
          (place [k] (if (zero? k) [()] (for [qs (place (dec k)) c (range n) :when (safe? qs c)] (cons c qs))))]
    (place n)))
(println (count (queens 6)) (first (queens 6)) (count (queens 8)))
(defn knapsack [items cap]
  (let [table (reduce (fn [best [w v]] (reduce (fn [b c] (if (>= c w) (assoc b c (max (b c) (+ v (best (- c w))))) b)) best (range cap -1 -1))) (vec (repeat (inc cap) 0)) items)] (peek table)))
(println (knapsack [[12 4] [2 2] [1 1] [1 2] [4 10]] 15))
(defn lcs [a b]
  (let [f (memoize (fn [self i j] (cond (or (= i (count a)) (= j (count b))) [] (= (nth a i) (nth b j)) (into [(nth a i)] (self self (inc i) (inc j))) :else (max-key count (self self (inc i) j) (self self i (inc j))))))] (apply str (f f 0 0))))
(println (lcs "AGGTAB" "GXTXAYB"))
(defn edit-distance [a b]
  (peek (reduce (fn [prev ca] (reduce (fn [row [d u cb]] (conj row (min (inc (peek row)) (inc u) (if (= ca cb) d (inc d))))) [(inc (first prev))] (map vector prev (rest prev) b))) (vec (range (inc (count b)))) a)))
(println (edit-distance "kitten" "sitting") (edit-distance "" "abc") (edit-distance "flaw" "lawn"))
(defn coins [amount denoms] (get (reduce (fn [ways d] (reduce (fn [w i] (update w i + (get w (- i d) 0))) ways (range d (inc amount)))) (assoc (vec (repeat (inc amount) 0)) 0 1) denoms) amount))
(println (coins 100 [1 5 10 25 50]))
