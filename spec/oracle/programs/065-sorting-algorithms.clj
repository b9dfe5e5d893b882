(defn quicksort [[p & xs]]
  (when p (lazy-cat (quicksort (filter #(< % p) xs)) [p] (quicksort (remove #(< % p) xs)))))
(defn merge-seqs [a b]
  (loop [a a b b out []]
    (cond (empty? a) (into out b)
          (empty? b) (into out a)
          (<= (first a) (first b)) (recur (rest a) b (conj out (first a)))
          :else (recur a (rest b) (conj out (first b))))))
(defn merge-sort [xs]
  (if (< (count xs) 2) (vec xs)
      (let [[a b] (split-at (quot (count xs) 2) xs)] (merge-seqs (merge-sort a) (merge-sort b)))))
(defn bubble-pass [v] (reduce (fn [v i] (if (> (v i) (v (inc i))) (assoc v i (v (inc i)) (inc i) (v i)) v)) v (range (dec (count v)))))
(defn bubble-sort [v] (let [n (bubble-pass v)] (if (= n v) v (recur n))))
(defn insert-sorted [xs x] (let [[a b] (split-with #(< % x) xs)] (concat a [x] b)))
(def data [5 2 9 1 5 6 -3 0])
(doseq [[n f] [["quick" quicksort] ["merge" merge-sort] ["bubble" bubble-sort] ["insertion" #(reduce insert-sorted [] %)]]]
  (println (format "%-10s" n) (f data)))
(apply = (map #(% data) [quicksort merge-sort bubble-sort sort]))
