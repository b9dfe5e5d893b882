(defn moving-avg [n]
  (fn [rf]
    (let [w (volatile! clojure.lang.PersistentQueue/EMPTY)]
      (fn ([] (rf)) ([a] (rf a))
        ([a x] (vswap! w conj x) (when (> (count @w) n) (vswap! w pop))
               (if (= n (count @w)) (rf a (/ (reduce + @w) n)) a))))))
(println (into [] (moving-avg 3) [1 2 3 4 5 6])
         (sequence (comp (map inc) (moving-avg 2)) (range 5))
         (transduce (moving-avg 2) (completing (fn [a x] (max a x)) #(str "max " %)) 0 [1 5 2])
         (into {} (comp (filter (comp even? val)) (map (fn [[k v]] [k (* v v)]))) {:a 1 :b 2 :c 4})
         (transduce (comp (mapcat range) (remove zero?)) conj [] [1 2 3])
         (into [] (comp (take 5) (partition-all 2)) (range)) (transduce (map count) max 0 ["a" "bbb"])
         (vec (eduction (map inc) (take 2) (range))) (sequence (map #(str %1 %2)) [1 2 3] [:a :b])
         (let [rf ((map inc) conj)] (rf (rf [] 1) 2)) (run! println (eduction (map inc) [1 2]))
         (transduce (take-nth 2) conj (range 6)) (into (sorted-set) (map #(mod % 3)) (range 9)))
