(deftype R [a b] clojure.lang.IReduceInit
  (reduce [_ f init]
    (loop [i a acc init]
      (if (< i b) (let [acc (f acc i)] (if (reduced? acc) @acc (recur (inc i) acc))) acc))))
(prn (reduce + 0 (R. 0 5)) (into [] (map inc) (R. 0 3)) (transduce (take 2) conj [] (R. 5 100))
     (reduce (fn [a x] (if (> x 2) (reduced a) (+ a x))) 0 (R. 0 1000)))
(deftype V [v] clojure.lang.Indexed (nth [_ i] (v i)) (nth [_ i d] (get v i d))
  (count [_] (count v)))
(prn (nth (V. [1 2 3]) 1) (nth (V. [1]) 5 :d) (count (V. [1 2])) (let [[a b c] (V. [7 8])] [a b c]))
(deftype Cmp [n] Comparable (compareTo [_ o] (compare n (.n o))) Object (toString [_] (str "#" n)))
(println (map str (sort [(Cmp. 3) (Cmp. 1) (Cmp. 2)])) (compare (Cmp. 1) (Cmp. 2)))
(deftype E [n] Object (equals [_ o] (and (instance? E o) (= n (.n o)))) (hashCode [_] (hash n)))
(prn (= (E. 1) (E. 1)) (count (set [(E. 1) (E. 1) (E. 2)])) (get {(E. 1) :x} (E. 1))
     (distinct? (E. 1) (E. 1)))
(deftype I [v] Iterable (iterator [_] (.iterator v)))
(prn (seq (I. [1 2 3])) (map inc (I. [1 2])))
