; Records: group-by, frequencies, sort-by.
(defn kernel []
  (let [xs (mapv (fn [i] {:id i :region (mod i 7) :amount (mod (* i 37) 1000)}) (range 10000))
        sums (update-vals (group-by :region xs) (fn [g] (reduce + (map :amount g))))]
    (+ (apply + (vals sums))
       (count (frequencies (map :amount xs)))
       (:id (first (sort-by :amount > xs))))))
