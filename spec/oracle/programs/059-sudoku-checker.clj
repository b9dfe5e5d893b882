(def board
  [[5 3 4 6 7 8 9 1 2] [6 7 2 1 9 5 3 4 8] [1 9 8 3 4 2 5 6 7]
   [8 5 9 7 6 1 4 2 3] [4 2 6 8 5 3 7 9 1] [7 1 3 9 2 4 8 5 6]
   [9 6 1 5 3 7 2 8 4] [2 8 7 4 1 9 6 3 5] [3 4 5 2 8 6 1 7 9]])
(defn rows [b] b)
(defn cols [b] (apply map vector b))
(defn boxes [b]
  (for [r (range 0 9 3) c (range 0 9 3)]
    (for [i (range 3) j (range 3)] (get-in b [(+ r i) (+ c j)]))))
(defn valid? [b] (every? #(= (set (range 1 10)) (set %)) (mapcat #(% b) [rows cols boxes])))
(println "valid:" (valid? board))
(println "swapped:" (valid? (assoc-in board [0 0] 9)))
(defn candidates [b r c]
  (sort (remove (set (concat (nth b r) (map #(nth % c) b) (nth (boxes b) (+ (* 3 (quot r 3)) (quot c 3))))) (range 1 10))))
(println (candidates (assoc-in board [0 0] 0) 0 0))
(doseq [row board] (println (apply str (interpose " " row))))
(boxes board)
