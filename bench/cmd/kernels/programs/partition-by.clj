; Runs, windows and groups of a sequence.
(defn kernel []
  (+ (count (partition-by #(quot % 3) (range 30000)))
     (reduce + (map count (partition-by odd? (map #(quot % 5) (range 20000)))))
     (reduce + (map first (partition 2 1 (range 20000))))
     (reduce + (map (fn [[a b c]] (- (+ a c) b)) (partition-all 3 (range 30000))))))
