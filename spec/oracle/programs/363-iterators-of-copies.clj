;; A ListIterator over a list of java.util.concurrent walks over a copy, and changes nothing.
(let [l (java.util.concurrent.CopyOnWriteArrayList. [1 2 3]) i (.listIterator l)]
  (println (.next i) (mapv (fn [f] (try (f) (catch UnsupportedOperationException e :unsupported))) [#(.set i 9) #(.remove i) #(.add i 5)]) (.previous i) (vec l)))
(println (vec (iterator-seq (.listIterator (java.util.concurrent.CopyOnWriteArrayList. [1 2 3]) 1))))
(let [l (java.util.ArrayList. [1 2 3]) i (.listIterator l)] (.next i) (.set i 9) (println (vec l)))
