(def people [:ann :bob :cyd])
(defn permutations [xs] (if (empty? xs) [[]] (for [x xs p (permutations (remove #{x} xs))] (cons x p))))
(def solutions
  (for [pets (permutations [:cat :dog :fish]) drinks (permutations [:tea :milk :water])
        :let [pet (zipmap people pets) drink (zipmap people drinks)]
        :when (and (not= :cat (pet :ann)) (= :tea (drink :bob))
                   (= :milk (drink (first (filter #(= :fish (pet %)) people))))
                   (not= :fish (pet :cyd)))]
    {:pet pet :drink drink}))
(println (count solutions))
(run! prn solutions)
(defn send-more []
  (first (for [s (range 9 10) e (range 2 8) n [(inc e)] d (range 2 9) :when (distinct? s e n d)
               r [8] y [(mod (+ d e) 10)] :when (and (distinct? s e n d 1 0 r y)
               (= (+ 9000 (* 100 e) (* 10 n) d 1000 (* 10 r) e) (+ 10000 (* 100 n) (* 10 e) y)))]
           [s e n d 1 0 r y])))
(send-more)
