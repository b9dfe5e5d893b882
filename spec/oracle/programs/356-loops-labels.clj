(println (loop [i 0 s 0] (if (> i 10) s (recur (inc i) (+ s i))))
         (loop [[x & xs] [3 1 2] best nil] (if x (recur xs (if (or (nil? best) (> x best)) x best)) best))
         (let [v (atom [])] (dotimes [i 3] (dotimes [j 2] (swap! v conj [i j]))) @v)
         (let [v (volatile! 0)] (while (< @v 5) (vswap! v inc)) @v) (for [i (range 3) j (range i)] [i j])
         (for [x [1 2 3] :let [y (* x x)] :when (odd? y)] y)
         (let [r (volatile! [])] (doseq [x [1 2 3] y [:a :b] :while (< x 3)] (vswap! r conj [x y])) @r)
         (reduce (fn [acc x] (if (> acc 10) (reduced acc) (+ acc x))) (range 100))
         (some #(when (> % 3) (* 10 %)) [1 2 5 7]) (first (drop-while #(< % 5) (iterate #(* 2 %) 1)))
         (take-while pos? (iterate #(- % 3) 10)) (nth (iterate (fn [[a b]] [b (+ a b)]) [0 1]) 10)
         (last (for [i (range 5)] i)) (doall (map-indexed (fn [i x] [i x]) "ab"))
         (mapv (fn [[k v]] (str k v)) {:a 1}) (every? #(apply < %) (partition 2 1 [1 2 3]))
         (apply + (for [i (range 1 1000) :when (or (zero? (mod i 3)) (zero? (mod i 5)))] i))
         (reduce +
                 (filter even? (take-while #(< % 4000000) (map first (iterate (fn [[a b]] [b (+ a b)]) [1 2])))))
         (first (filter (fn [n] (every? #(zero? (mod n %)) (range 1 11))) (iterate inc 1)))
         (let
          [s
           (for
            [a (range 1 50) b (range a 50) :let [c (Math/sqrt (+ (* a a) (* b b)))] :when
             (= c (Math/floor c))]
             [a b (int c)])]
           (take 3 s))
         (reverse (map #(Character/digit % 10) (str 12345)))
         (reduce #(+ %1 (parse-long (str %2))) 0 "12345"))
