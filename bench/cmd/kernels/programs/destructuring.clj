; Vectors taken apart in reduce and in loop.
(defn kernel []
  (let [[a b] (reduce (fn [[a b] i] [b (+ i (mod a 1000))]) [0 1] (range 100000))]
    (loop [[x y :as p] [a b] i 0]
      (if (< i 100000)
        (recur [(+ y 1) (mod x 1000)] (inc i))
        (+ x y (count p))))))
