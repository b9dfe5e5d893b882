(defrecord P [x y])
(def p (->P 1 2))
