; A pipeline of map and filter into reduce.
(defn kernel []
  (->> (range 200000) (map #(* % %)) (filter even?) (map inc) (reduce +)))
