(def left {:n :w :w :s :s :e :e :n})
(def right (into {} (map (fn [[k v]] [v k]) left)))
(def delta {:n [0 1] :s [0 -1] :e [1 0] :w [-1 0]})
(defn exec [{:keys [dir] :as robot} c]
  (case c
    \L (update robot :dir left)
    \R (update robot :dir right)
    \A (update robot :pos #(mapv + % (delta dir)))
    (update robot :errors (fnil conj []) c)))
(defn run [robot program] (reduce exec robot program))
(println (run {:pos [0 0] :dir :n} "LAAARALA"))
(println (run {:pos [8 4] :dir :s} "LAAARRRALLLL"))
(println (run {:pos [0 0] :dir :n} "AxA!"))
(println (distinct (map :pos (reductions exec {:pos [0 0] :dir :e} "AALALAALA"))))
right
