(defprotocol P "doc" :extend-via-metadata true (f [x] [x y] "f doc") (g [x]))
(prn (f (with-meta {} {`f (fn [x] :meta)})) (:doc (meta #'f)) (:name (meta #'f)))
(extend String P {:f (fn ([x] [:s x]) ([x y] [:s x y])) :g (fn [x] :g)})
(prn (f "a") (f "a" 1) (g "q") (satisfies? P "a") (extends? P String)
     (set (map #(.getSimpleName %) (extenders P))))
(extend-type Long P (f ([x] :long1) ([x y] [:long2 x y])) (g [x] (* 2 x)))
(prn (f 1) (f 1 2) (g 4) (map g [1 2]))
(extend-protocol P clojure.lang.IPersistentVector (f [v] (mapv f v)) clojure.lang.Keyword
                 (f [k] (name k)) clojure.lang.Symbol (f [k] :sym) clojure.lang.ISeq (f [s] :seq) java.util.Set
                 (f [s] :set) Boolean (f [b] :bool) Character (f [c] :char) Double (f [d] :dbl) clojure.lang.Fn
                 (f [_] :fn) clojure.lang.IPersistentMap (f [_] :map) nil (f [_] :nil) Object (f [_] :obj))
(prn (f [1 :a 'b "s" '(1) #{} true \c 1.5 inc {} nil 1/2 (map inc []) (range 3) 1N #"x"]))
(try (g :nope) (catch IllegalArgumentException e (println (.getMessage e))))
