; for over lazy sequences, with :when and :let.
(defn kernel []
  (+ (count (for [a (map inc (range 300)), b (filter odd? (range 300)) :when (< a b)] [a b]))
     (reduce + (for [x (map #(* 2 %) (range 200)), y (take 200 (iterate inc 0)) :let [z (+ x y)] :when (even? z)] z))))
