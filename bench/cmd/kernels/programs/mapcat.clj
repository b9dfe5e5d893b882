; mapcat, concat, interleave and flatten.
(defn kernel []
  (+ (count (mapcat (fn [x] [x (inc x) (* x x)]) (range 20000)))
     (reduce + (mapcat range (range 200)))
     (count (interleave (range 20000) (iterate inc 1)))
     (count (flatten (map (fn [x] [x [x [x]]]) (range 3000))))))
