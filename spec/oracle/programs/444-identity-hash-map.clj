; java.util.IdentityHashMap compares keys by identical?.
(let [m (java.util.IdentityHashMap.) k [1 2] k2 (vec [1 2])]
  (println (.put m k 1) (.put m k2 2) (.put m :a 3) (.put m :a 4) (.size m))
  (println (.get m k) (.get m k2) (.get m [1 2]) (.containsKey m k) (.containsKey m [1 2]) (.get m :a))
  (println (.remove m k) (.size m) (.get m k2) (.containsValue m 2) (.isEmpty m))
  (println (.putIfAbsent m nil 5) (.get m nil) (.getOrDefault m "zz" :none))
  (println (count (.keySet m)) (sort (filter number? (.values m))))
  (println (instance? java.util.Map m) (class m))
  (.clear m)
  (println (.size m) (str m))
  (let [x (Object.)] (.put m x 1) (println (.get m x) (.get m (Object.))))
  (let [s (map inc (range))] (.put m s 1) (println (.get m s)))
  (println (= {:a 1} (into {} (java.util.IdentityHashMap. {:a 1})))))
