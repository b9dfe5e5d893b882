(defn valid-row? [r] (= (set (range 1 10)) (set r)))
(def grid (for [i (range 9)] (for [j (range 9)] (inc (mod (+ (* 3 (mod i 3)) (quot i 3) j) 9)))))
(println (every? valid-row? grid) (every? valid-row? (apply map vector grid))
         (every? valid-row?
                 (for [bi (range 3) bj (range 3)]
                   (for [i (range 3) j (range 3)] (nth (nth grid (+ i (* 3 bi))) (+ j (* 3 bj)))))))
(doseq [row (take 2 grid)] (println (clojure.string/join " " row)))
