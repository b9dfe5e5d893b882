(defn simplify [e]
  (if-not (seq? e) e
    (let [[op & args] e [a b] (map simplify args)]
      (case op
        + (cond (and (number? a) (number? b)) (+ a b) (= 0 a) b (= 0 b) a :else (list '+ a b))
        * (cond (and (number? a) (number? b)) (* a b) (or (= 0 a) (= 0 b)) 0 (= 1 a) b (= 1 b) a :else (list '* a b))))))
(defn deriv [e v]
  (cond (number? e) 0
        (symbol? e) (if (= e v) 1 0)
        :else (let [[op a b] e]
                (case op
                  + (list '+ (deriv a v) (deriv b v))
                  * (list '+ (list '* a (deriv b v)) (list '* (deriv a v) b))))))
(defn free-vars [e] (cond (symbol? e) #{e} (seq? e) (reduce into #{} (map free-vars (rest e))) :else #{}))
(doseq [e '[(+ x 0) (* 1 (+ x (* 0 y))) (* x x) (+ (* 3 x) (* x y)) (+ 2 (* 3 4))]]
  (println e "=>" (simplify e) "| d/dx" (simplify (deriv e 'x)) "| vars" (sort (free-vars e))))
(defn subst-eval [e env] (cond (symbol? e) (env e) (seq? e) (apply ({'+ + '* *} (first e)) (map #(subst-eval % env) (rest e))) :else e))
(subst-eval '(+ (* x x) y) '{x 3 y 4})
