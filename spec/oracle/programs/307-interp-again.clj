(defn ev [env e]
  (cond (number? e) e (symbol? e) (or (env e) (throw (ex-info (str "unbound " e) {:sym e})))
        (seq? e)
        (let [[op & args] e]
          (case op def (ev (assoc env (first args) (ev env (second args))) (nth args 2)) fn
                (let [[ps body] args] (fn [& xs] (ev (merge env (zipmap ps xs)) body))) if
                (if (not= 0 (ev env (first args))) (ev env (second args)) (ev env (nth args 2)))
                (apply (ev env op) (map #(ev env %) args))))
        :else e))
(def base {'+ + '* * '- - '< (fn [a b] (if (< a b) 1 0))})
(println (ev base '(+ 1 (* 2 3))) (ev base '(def x 5 (* x x))) (ev base '((fn [a b] (- a b)) 10 3))
         (ev base '(if (< 1 2) 10 20)) (try (ev base '(+ q 1)) (catch Exception e (ex-data e))))
