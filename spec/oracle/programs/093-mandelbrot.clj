(defn mandel [cx cy limit]
  (loop [x 0.0 y 0.0 i 0]
    (if (or (= i limit) (> (+ (* x x) (* y y)) 4.0)) i
        (recur (+ cx (- (* x x) (* y y))) (+ cy (* 2.0 x y)) (inc i)))))
(doseq [y (range -1.0 1.1 0.25)]
  (println (apply str (for [x (range -2.0 0.6 0.0625)]
                        (nth " .:-=+*#%@" (min 9 (quot (mandel x y 40) 4)))))))
(mandel -0.5 0.5 100)
