(deftype Bag [m n] clojure.lang.Counted (count [_] n) clojure.lang.Seqable
  (seq [_] (seq (mapcat (fn [[k c]] (repeat c k)) (sort m)))) clojure.lang.IPersistentCollection
  (cons [_ x] (Bag. (update m x (fnil inc 0)) (inc n))) (empty [_] (Bag. {} 0))
  (equiv [_ o] (and (instance? Bag o) (= m (.m ^Bag o)))) clojure.lang.ILookup
  (valAt [_ k] (get m k 0)) (valAt [_ k d] (get m k d)) clojure.lang.IFn (invoke [_ k] (get m k 0))
  Object (toString [_] (str "Bag" (into (sorted-map) m))))
(def b (reduce conj (Bag. {} 0) [1 2 1 3 1]))
(prn (count b) (seq b) (get b 1) (b 2) (get b 9 :none) (= b (into (Bag. {} 0) [3 2 1 1 1])) (str b)
     (empty? (empty b)) (map inc b) (reduce + b) (into [] b))
