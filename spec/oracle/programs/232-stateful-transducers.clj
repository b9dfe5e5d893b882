(defn window [n]
  (fn [rf]
    (let [buf (volatile! clojure.lang.PersistentQueue/EMPTY)]
      (fn ([] (rf))
        ([acc] (rf acc))
        ([acc x]
         (vswap! buf conj x)
         (when (> (count @buf) n) (vswap! buf pop))
         (if (= n (count @buf)) (rf acc (vec @buf)) acc))))))
(defn dedupe-by [f]
  (fn [rf]
    (let [prev (volatile! ::none)]
      (fn ([] (rf)) ([acc] (rf acc))
        ([acc x] (let [k (f x) p @prev] (vreset! prev k) (if (= k p) acc (rf acc x))))))))
(defn flush-end [end]
  (fn [rf] (fn ([] (rf)) ([acc] (rf (unreduced (rf acc end)))) ([acc x] (rf acc x)))))
(prn (into [] (window 3) (range 6)))
(prn (into [] (comp (window 2) (map #(apply - %))) [10 7 3 1]))
(prn (sequence (comp (dedupe-by odd?) (take 3)) [1 3 2 4 5 7 8]))
(prn (transduce (comp (flush-end :end) (take 10)) conj [1 2]))
(prn (transduce (comp (take 2) (flush-end :end)) conj [1 2 3]))
(prn (into [] (comp (partition-all 2) (map vec)) (range 5)))
(prn (into [] (comp (partition-by even?) (map count)) [2 4 1 3 5 6]))
(prn (transduce (map inc) (completing (fn [a x] (if (> x 3) (reduced a) (+ a x)))) 0 (range 10)))
(prn (eduction (filter odd?) (map #(* % %)) (range 8)))
(prn (reduce + 0 (eduction (mapcat range) [2 3])))
(let [xf (comp (take-nth 2) (drop 1) (map-indexed vector))]
  (prn (into [] xf (range 10)) (sequence xf (range 10))))
(prn (into {} (comp (filter (comp even? val)) (map (fn [[k v]] [v k]))) {:a 1 :b 2 :c 4}))
(prn (sequence (map +) [1 2 3] [10 20 30 40]))
(prn (transduce (comp cat (distinct) (interpose :x)) conj [[1 2] [2 3]]))
(prn (into #{} (comp (remove nil?) (keep #(when (pos? %) %)) (random-sample 1.0)) [nil 1 -1 2]))
(prn (reduce ((comp (map inc) (take-while #(< % 5))) conj) [] (range 10)))
