(defn neighbours [[x y]]
  (for [dx [-1 0 1] dy [-1 0 1] :when (not= 0 dx dy)]
    [(+ x dx) (+ y dy)]))

(defn step [cells]
  (set (for [[loc n] (frequencies (mapcat neighbours cells))
             :when (or (= n 3) (and (= n 2) (cells loc)))]
         loc)))

(defn show [cells w h]
  (doseq [y (range h)]
    (println (apply str (for [x (range w)] (if (cells [x y]) \# \.)))))
  (println))

(def glider #{[1 0] [2 1] [0 2] [1 2] [2 2]})
(doseq [gen (take 4 (iterate step glider))]
  (show gen 5 5))
(def blinker #{[1 0] [1 1] [1 2]})
(println (= blinker (step (step blinker))))
(step blinker)
