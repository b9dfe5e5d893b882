(defn score [rolls]
  (loop [frame 1 rolls rolls total 0]
    (if (or (> frame 10) (empty? rolls))
      total
      (let [[a b c] rolls]
        (cond
          (= a 10) (recur (inc frame) (rest rolls) (+ total 10 (or b 0) (or c 0)))
          (= 10 (+ a (or b 0))) (recur (inc frame) (drop 2 rolls) (+ total 10 (or c 0)))
          :else (recur (inc frame) (drop 2 rolls) (+ total a (or b 0))))))))

(defn parse [s]
  (loop [[c & more] (remove #{\space} s) rolls []]
    (if c
      (recur more (conj rolls (case c
                                \X 10
                                \/ (- 10 (peek rolls))
                                \- 0
                                (Character/digit c 10))))
      rolls)))

(doseq [g ["XXXXXXXXXXXX" "9-9-9-9-9-9-9-9-9-9-" "5/5/5/5/5/5/5/5/5/5/5" "X7/9-X-88/-6XXX81"]]
  (println g "->" (score (parse g))))
