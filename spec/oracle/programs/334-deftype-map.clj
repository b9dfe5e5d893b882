(deftype DefaultMap [m d] clojure.lang.ILookup (valAt [_ k] (get m k d))
  (valAt [_ k nf] (get m k nf)) clojure.lang.Associative (containsKey [_ k] (contains? m k))
  (entryAt [_ k] (find m k)) (assoc [_ k v] (DefaultMap. (assoc m k v) d))
  clojure.lang.IPersistentCollection (count [_] (count m))
  (cons [_ [k v]] (DefaultMap. (assoc m k v) d)) (empty [_] (DefaultMap. {} d))
  (equiv [_ o] (= m o)) clojure.lang.Seqable (seq [_] (seq m)) clojure.lang.IFn
  (invoke [_ k] (get m k d)) Object (toString [_] (str m)))
(let [dm (DefaultMap. {:a 1} 0)]
  (println (get dm :a) (get dm :zz) (dm :b) (:a dm) (:q dm) (get dm :q :nf) (count dm)
           (str (assoc dm :c 3)) (contains? dm :a) (contains? dm :z) (find dm :a) (str (conj dm [:k 9]))
           (keys dm) (vals (into dm {:x 1})) (str (update dm :n inc)) (empty? (empty dm))
           (reduce (fn [acc [k v]] (+ acc v)) 0 dm) (map first dm)
           (let [{:keys [a missing]} dm] [a missing]) (coll? dm) (associative? dm) (counted? dm) (ifn? dm)
           (get-in {:d dm} [:d :nope]) (str (reduce #(update %1 %2 inc) dm [:a :b :a]))))
