; Extensions of CollReduce to types of the library.
(require '[clojure.core.protocols :as p])
(extend-protocol p/CollReduce
  Long (coll-reduce ([c f] (reduce f (range c))) ([c f i] (reduce f i (range c))))
  nil (coll-reduce ([c f] :nothing) ([c f i] [:nothing i])))
(println (reduce + 5) (reduce + 1 5) (let [n 5] (reduce + n)) (transduce (map inc) conj [] 3) (mapv inc 3))
(println (reduce + nil) (reduce + 1 nil) (into [] 3) (into #{} 3) (filterv odd? 3))
(println (reduce + [1 2]))
