; Names that forms define which are evaluated.
(eval '(def size 3))
(println (inc size))
(defmacro define-all [& names]
  `(doseq [n# '~names] (eval (list 'def n# (str n#)))))
(define-all a b)
(println a b)
(eval '(defn twice [x] (* 2 x)))
(println (map twice [1 2 size]))
(println (try (eval 'not-defined) (catch Exception e :unknown)))
