; An element far into an infinite sequence.
(defn kernel []
  (+ (nth (iterate inc 0) 100000)
     (first (drop-while #(< % 50000) (iterate inc 0)))
     (nth (cycle [1 2 3]) 50000)))
