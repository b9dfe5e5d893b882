(defn insert [ivs [s e]]
  (let [{before true after false} (group-by (fn [[a b]] (< b s)) (sort ivs))
        {overlap true after false} (group-by (fn [[a b]] (<= a e)) after)]
    (vec (concat before [[(apply min s (map first overlap)) (apply max e (map second overlap))]] after))))
(println (reduce insert [] [[1 3] [6 9] [2 5]]))
(println (insert [[1 2] [3 5] [6 7] [8 10] [12 16]] [4 8]))
(defn covered [ivs] (reduce + (map (fn [[a b]] (- b a)) ivs)))
(defn gaps [ivs] (for [[[_ b] [c _]] (partition 2 1 ivs)] [b c]))
(let [ivs (reduce insert [] [[0 10] [20 30] [5 15] [40 41]])] (println ivs (covered ivs) (gaps ivs)))
(defn max-overlap [ivs] (apply max (reductions + (map second (sort (mapcat (fn [[a b]] [[a 1] [b -1]]) ivs))))))
(max-overlap [[1 4] [2 5] [3 6] [7 8]])
