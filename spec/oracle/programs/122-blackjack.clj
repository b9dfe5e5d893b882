(defn value [hand]
  (let [base (reduce + (map #(case % (:j :q :k) 10 :a 1 %) hand))]
    (if (and (some #{:a} hand) (<= (+ base 10) 21)) (+ base 10) base)))
(defn play-dealer [hand deck] (loop [h hand [c & more] deck] (if (or (>= (value h) 17) (nil? c)) h (recur (conj h c) more))))
(doseq [h [[:a :k] [:a :a 9] [10 6 :q] [2 3 4] [:a 5 10 5]]] (println h (value h) (cond (> (value h) 21) :bust (and (= 21 (value h)) (= 2 (count h))) :blackjack :else :ok)))
(println (play-dealer [2 3] [5 :a :k 9]))
(defn winner [p d] (let [p (value p) d (value d)] (cond (> p 21) :dealer (> d 21) :player (> p d) :player (< p d) :dealer :else :push)))
(map (fn [[p d]] (winner p d)) [[[10 9] [10 8]] [[10 9 5] [2 3]] [[:a 7] [8 :k]] [[5 5] [10 6 9]]])
