(defn binary-search [v x]
  (loop [lo 0 hi (dec (count v)) steps 0]
    (if (> lo hi)
      {:found false :insert-at lo :steps steps}
      (let [mid (quot (+ lo hi) 2) m (v mid)]
        (cond (= m x) {:found true :index mid :steps (inc steps)}
              (< m x) (recur (inc mid) hi (inc steps))
              :else (recur lo (dec mid) (inc steps)))))))
(def v (vec (range 0 100 3)))
(doseq [x [0 42 99 50 -1 1000]] (println x (binary-search v x)))
(defn bisect [f lo hi]
  (loop [lo lo hi hi n 0]
    (let [mid (/ (+ lo hi) 2.0)]
      (cond (> n 50) mid
            (neg? (f mid)) (recur mid hi (inc n))
            :else (recur lo mid (inc n))))))
(format "%.6f" (bisect #(- (* % %) 2) 0 2))
