(deftype M [es]
  clojure.lang.IPersistentMap
  (count [this] (count es))
  (valAt [this k nf] (if-let [e (find this k)] (val e) nf))
  (valAt [this k] (get this k nil))
  (entryAt [this k] (first (filter #(= k (key %)) es)))
  (seq [this] (seq es)))
(def m (M. [(clojure.lang.MapEntry. :a 1)]))
(println (find m :a) (get m :a) (:a m) (get m :b :none))
