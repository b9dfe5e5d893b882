; Forms that are the sequence of a set or of a map: calls, as all sequences are.
(println (try (eval (seq #{1})) (catch ClassCastException e :no-function) (catch Exception e :no-function)))
(println (try (eval (seq {inc 1})) (catch clojure.lang.ArityException e :arity)))
(println (eval (list 'do (seq #{'list}))) (eval (seq #{'vector})))
(defmacro of-set [] (rseq (sorted-set 'hash-map)))
(println (of-set))
