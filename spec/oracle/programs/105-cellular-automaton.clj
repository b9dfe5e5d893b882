(defn rule->map [n] (zipmap (for [a [1 1 1 1 0 0 0 0]] a) (range)) (into {} (for [i (range 8)] [[(if (bit-test i 2) 1 0) (if (bit-test i 1) 1 0) (if (bit-test i 0) 1 0)] (if (bit-test n i) 1 0)])))
(defn next-gen [rule cells] (mapv rule (map vec (partition 3 1 (concat [0] cells [0])))))
(defn render [cells] (apply str (map {0 \space 1 \*} cells)))
(doseq [n [30 90 110]]
  (println "rule" n)
  (run! println (map render (take 8 (iterate (partial next-gen (rule->map n)) (assoc (vec (repeat 17 0)) 8 1))))))
(sort (rule->map 30))
