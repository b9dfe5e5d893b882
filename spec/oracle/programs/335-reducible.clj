(defn reducible [n]
  (reify clojure.lang.IReduceInit
    (reduce [_ f init]
      (loop [i 0 acc init] (cond (reduced? acc) @acc (= i n) acc :else (recur (inc i) (f acc i)))))))
(println (reduce + 0 (reducible 5)) (into [] (map inc) (reducible 3))
         (transduce (filter even?) + (reducible 10)) (into #{} (take 2) (reducible 1000000))
         (reduce (fn [a x] (if (= x 3) (reduced [:stop a]) (+ a x))) 0 (reducible 10))
         (vec (eduction (map #(* % %)) (reducible 4))))
(deftype Pair [a b] clojure.lang.Indexed (nth [_ i] (case i 0 a 1 b))
  (nth [_ i d] (case i 0 a 1 b d)) clojure.lang.Counted (count [_] 2) clojure.lang.Seqable
  (seq [_] (list a b)))
(let [[x y z] (Pair. 1 2)]
  (println x y z (count (Pair. 1 2)) (nth (Pair. 3 4) 1) (map inc (Pair. 5 6)) (first (Pair. 9 10))
           (nth (Pair. 1 2) 7 :none) (reduce + (Pair. 3 4)) (indexed? (Pair. 1 2))))
