(defn lcg [seed] (mod (+ (* 1103515245 seed) 12345) 2147483648))
(defn rand-seq [seed] (rest (iterate lcg seed)))
(defn rand-ints [seed n] (map #(mod (quot % 65536) n) (rand-seq seed)))
(println (take 5 (rand-seq 42)))
(println (take 10 (rand-ints 42 6)))
(defn shuffle-with [seed coll]
  (let [v (vec coll)]
    (reduce (fn [v [i r]] (let [j (mod r (inc i))] (assoc v i (v j) j (v i)))) v
            (map vector (range (dec (count v)) 0 -1) (map #(quot % 65536) (rand-seq seed))))))
(println (shuffle-with 7 (range 10)))
(println (into (sorted-map) (frequencies (take 600 (rand-ints 1 6)))))
(let [inside (count (filter (fn [[x y]] (< (+ (* x x) (* y y)) 1.0)) (take 1000 (partition 2 (map #(/ % 2147483648.0) (rand-seq 99))))))]
  (format "%.2f" (* 4 (/ inside 1000.0))))
