(defn step [{:keys [pos dir black]}]
  (let [turn (if (black pos) (fn [[x y]] [y (- x)]) (fn [[x y]] [(- y) x]))
        dir (turn dir)]
    {:pos (mapv + pos dir) :dir dir :black (if (black pos) (disj black pos) (conj black pos))}))
(def states (iterate step {:pos [0 0] :dir [0 1] :black #{}}))
(doseq [n [1 5 10 50 100]] (println n (:pos (nth states n)) (count (:black (nth states n)))))
(let [{:keys [black pos]} (nth states 40)]
  (doseq [y (range 4 -4 -1)]
    (println (apply str (for [x (range -4 5)] (cond (= pos [x y]) "A" (black [x y]) "#" :else "."))))))
