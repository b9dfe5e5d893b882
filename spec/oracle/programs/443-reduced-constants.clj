; Extensions of CollReduce to types of the library.
(require '[clojure.core.protocols :as p])
(extend-protocol p/CollReduce
  String (coll-reduce ([c f] [:string c]) ([c f i] [:string c i]))
  nil (coll-reduce ([c f] :nothing) ([c f i] [:nothing i])))
(println (reduce + "ab") (reduce + 1 "ab") (let [s "ab"] (reduce + s)))
(println (reduce + nil) (reduce + 1 nil))
(println (reduce + [1 2]))
