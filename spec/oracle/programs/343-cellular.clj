(defn rule [n] (fn [[a b c]] (if (bit-test n (+ (* 4 a) (* 2 b) c)) 1 0)))
(defn evolve [n cells] (map (rule n) (partition 3 1 (concat [0] cells [0]))))
(doseq [r (take 5 (iterate (partial evolve 90) [0 0 0 0 0 1 0 0 0 0 0]))]
  (println (apply str (map {0 " " 1 "#"} r))))
