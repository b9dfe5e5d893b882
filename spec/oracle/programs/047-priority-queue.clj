(defn pq [] (sorted-set))
(defn push [q p x] (conj q [p (count q) x]))
(defn pop-min [q] (let [[p _ x :as e] (first q)] [[p x] (disj q e)]))
(loop [q (-> (pq) (push 5 :write) (push 1 :plan) (push 3 :code) (push 9 :ship) (push 2 :design))]
  (when (seq q)
    (let [[[p x] q'] (pop-min q)]
      (println p x)
      (recur q'))))
(defn merge-sorted [& colls]
  (loop [q (into (sorted-set) (keep-indexed (fn [i c] (when (seq c) [(first c) i (rest c)])) (map vec colls))) out []]
    out))
(defn heap-sort [xs] (let [m (reduce #(update %1 %2 (fnil inc 0)) (sorted-map) xs)] (mapcat (fn [[x n]] (repeat n x)) m)))
(println (heap-sort [3 1 4 1 5 9 2 6 5 3 5]))
(def tasks (sorted-map-by (fn [a b] (compare b a)) 1 [:low] 10 [:high :urgent] 5 [:mid]))
(println (keys tasks) (first tasks) (mapcat val tasks))
(rsubseq (sorted-set 1 5 8 10 20) < 10)
