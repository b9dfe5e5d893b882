(def input "1000\n2000\n\n4000\n\n5000\n6000")
(println
 (->> (clojure.string/split input #"\n\n")
      (map #(->> (clojure.string/split-lines %) (map parse-long) (reduce +))) (sort >) (take 2)
      (reduce +)))
(def cave ["..#" "#.." "..."])
(def grid
  (into {} (for [[y row] (map-indexed vector cave) [x c] (map-indexed vector row)] [[x y] c])))
(println (count (filter #{\#} (vals grid))) (->> grid (filter (comp #{\#} val)) (map key) sort)
         (let [[mx my] (apply map max (keys grid))] [mx my]))
(println
 (->> "vJrw,aaBB" (map int) (map #(cond (<= 97 % 122) (- % 96) (<= 65 % 90) (- % 38) :else 0))))
(println
 (reduce (fn [[x y] [d n]] (case d "forward" [(+ x n) y] "down" [x (+ y n)] "up" [x (- y n)]))
         [0 0]
         (map (fn [l] (let [[d n] (clojure.string/split l #" ")] [d (parse-long n)]))
              ["forward 5" "down 5" "up 3"])))
(println (->> [199 200 208 210 200] (partition 2 1) (filter (fn [[a b]] (< a b))) count)
         (->> (range 1 6) (partition 3 1) (map #(apply + %)))
         (reduce (fn [acc [a b]] (update acc a (fnil conj #{}) b)) (sorted-map) [[1 2] [2 3] [1 3]])
         (mapv (fn [s] (mapv #(Character/digit % 10) s)) ["12" "34"]) (apply map + [[1 2] [3 4]])
         (let [m (re-matcher #"(\d+),(\d+)" "3,4 -> 5,6")]
           (loop [acc []]
             (if (.find m) (recur (conj acc [(parse-long (.group m 1)) (parse-long (.group m 2))])) acc)))
         (take-while some? (iterate #(when (< % 50) (* 2 %)) 3))
         (some (fn [[a b]] (when (= 2020 (+ a b)) (* a b)))
               (for [a [1721 979 366] b [299 675 1654]] [a b])))
