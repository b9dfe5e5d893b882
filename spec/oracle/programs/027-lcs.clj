(defn lcs [a b]
  (let [f (memoize
           (fn [self i j]
             (cond (or (= i (count a)) (= j (count b))) ""
                   (= (nth a i) (nth b j)) (str (nth a i) (self self (inc i) (inc j)))
                   :else (let [x (self self (inc i) j) y (self self i (inc j))]
                           (if (>= (count x) (count y)) x y)))))]
    (f f 0 0)))
(println (lcs "AGGTAB" "GXTXAYB"))
(println (lcs "thisisatest" "testing123testing"))
(prn (lcs "abc" "xyz"))
