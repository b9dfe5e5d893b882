; A loop that changes elements of a vector of 100,000.
(defn kernel []
  (loop [v (vec (range 100000)), i 0]
    (if (< i 100000)
      (recur (assoc v (mod (* i 7919) 100000) i) (inc i))
      (+ (nth v 10) (nth v 99999) (count v)))))
