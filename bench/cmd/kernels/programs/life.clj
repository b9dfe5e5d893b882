; The game of life on a set of cells.
(defn step [cells]
  (set (for [[p n] (frequencies (mapcat (fn [[x y]]
                                          (for [dx [-1 0 1] dy [-1 0 1] :when (not= [0 0] [dx dy])]
                                            [(+ x dx) (+ y dy)]))
                                        cells))
             :when (or (= n 3) (and (= n 2) (cells p)))]
         p)))
(defn kernel []
  (count (nth (iterate step #{[0 1] [1 0] [1 1] [1 2] [2 2]}) 60)))
