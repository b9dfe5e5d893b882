; Transducers that end early, over an infinite range.
(defn kernel []
  (+ (transduce (comp (filter odd?) (map #(* % %)) (take 20000)) + 0 (range))
     (count (into [] (comp (map inc) (remove #(zero? (mod % 3))) (take-while #(< % 30000))) (range)))
     (count (sequence (comp (map inc) (take 5000)) (range)))))
