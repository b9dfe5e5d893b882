(defn expected [ra rb] (/ 1.0 (+ 1 (Math/pow 10 (/ (- rb ra) 400.0)))))
(defn play [ratings [winner loser]]
  (let [e (expected (ratings winner) (ratings loser)) d (* 32 (- 1 e))]
    (-> ratings (update winner + d) (update loser - d))))
(def final (reduce play {:a 1200.0 :b 1200.0 :c 1200.0} [[:a :b] [:a :c] [:c :b] [:b :a]]))
(doseq [[p r] (sort-by val > final)] (println (name p) (format "%.1f" r)))
(println (Math/round (reduce + (vals final))))
(map #(format "%.3f" %) [(expected 1200 1200) (expected 1600 1200)])
