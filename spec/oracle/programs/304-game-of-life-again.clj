(defn neighbours [[x y]] (for [dx [-1 0 1] dy (if (zero? dx) [-1 1] [-1 0 1])] [(+ x dx) (+ y dy)]))
(defn step [cells]
  (set
   (for
    [[loc n] (frequencies (mapcat neighbours cells)) :when (or (= n 3) (and (= n 2) (cells loc)))]
     loc)))
(def glider #{[1 0] [2 1] [0 2] [1 2] [2 2]})
(doseq [g (take 3 (iterate step glider))] (println (sort g))
       (doseq [y (range 4)] (println (apply str (for [x (range 4)] (if (g [x y]) \# \.))))))
(println (nth (iterate step glider) 20))
