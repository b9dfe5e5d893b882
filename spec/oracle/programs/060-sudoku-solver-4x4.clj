(def puzzle [[1 0 0 0] [0 0 3 0] [3 0 0 1] [0 2 0 0]])
(defn options [b r c]
  (let [row (b r) col (map #(% c) b)
        br (* 2 (quot r 2)) bc (* 2 (quot c 2))
        box (for [i [0 1] j [0 1]] (get-in b [(+ br i) (+ bc j)]))]
    (remove (set (concat row col box)) [1 2 3 4])))
(defn solve [b]
  (if-let [[r c] (first (for [r (range 4) c (range 4) :when (zero? (get-in b [r c]))] [r c]))]
    (mapcat #(solve (assoc-in b [r c] %)) (options b r c))
    [b]))
(let [solutions (solve puzzle)]
  (println (count solutions) "solution(s)")
  (run! println (first solutions)))
