(defn neighbours [[x y]] (for [dx [-1 0 1] dy [-1 0 1] :when (not= 0 dx dy)] [(+ x dx) (+ y dy)]))
(defn step [cells] (set (for [[c n] (frequencies (mapcat neighbours cells)) :when (or (= n 3) (and (= n 2) (cells c)))] c)))
(def glider #{[1 0] [2 1] [0 2] [1 2] [2 2]})
(doseq [g (take 4 (iterate step glider))]
  (doseq [y (range 5)] (println (apply str (for [x (range 5)] (if (g [x y]) \# \.)))))
  (println))
(println (sort (nth (iterate step glider) 8)) (count (nth (iterate step #{[0 0] [1 0] [2 0]}) 3)))
