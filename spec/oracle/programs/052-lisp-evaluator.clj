(def global-env {'+ + '- - '* * '/ / '< < '= = 'list list 'first first 'rest rest 'cons cons 'empty? empty?})
(declare evaluate)
(defn eval-args [env xs] (map #(evaluate env %) xs))
(defn evaluate [env x]
  (cond
    (symbol? x) (let [v (get @env x ::none)]
                  (if (= v ::none) (throw (ex-info (str "Unbound: " x) {:symbol x})) v))
    (not (seq? x)) x
    :else
    (let [[op & args] x]
      (case op
        quote (first args)
        if (let [[c a b] args] (evaluate env (if (evaluate env c) a b)))
        define (let [[n v] args] (swap! env assoc n (evaluate env v)) n)
        lambda (let [[params body] args]
                 (fn [& vs] (evaluate (atom (merge @env (zipmap params vs))) body)))
        let (let [[bs body] args]
              (evaluate (reduce (fn [e [n v]] (atom (assoc @e n (evaluate e v)))) env (partition 2 bs)) body))
        (apply (evaluate env op) (eval-args env args))))))
(def env (atom global-env))
(defn run [form] (evaluate env form))
(println (run '(+ 1 (* 2 3))))
(println (run '((lambda (x y) (- x y)) 10 4)))
(println (run '(define sq (lambda (x) (* x x)))) (run '(sq 12)))
(println (run '(if (< 1 2) (quote yes) (quote no))))
(println (run '(let (a 1 b (+ a 1)) (list a b (+ a b)))))
(try (run '(foo 1)) (catch Exception e (println (ex-message e) (ex-data e))))
(swap! env assoc 'fact (fn fact [n] (if (zero? n) 1 (* n (fact (dec n))))))
(run '(fact 10))
