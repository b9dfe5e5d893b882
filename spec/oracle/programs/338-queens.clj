(defn safe? [qs c]
  (every? (fn [[i q]] (and (not= q c) (not= (Math/abs (- q c)) (inc i)))) (map-indexed vector qs)))
(defn queens [n]
  (letfn
   [(go [qs] (if (= n (count qs)) [qs] (mapcat #(when (safe? qs %) (go (cons % qs))) (range n))))]
    (go ())))
(println (count (queens 6)) (first (queens 8)))
