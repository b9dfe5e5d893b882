;; A small Lisp interpreter with environments, closures, and tail calls by loop
(def global-env (atom {'+ + '- - '* * '< < '= = 'list list 'cons cons 'first first 'rest rest 'empty? empty? 'str str}))
(declare ev)
(defn lookup [env sym]
  (if-let [[_ v] (or (find @env sym) (find @global-env sym))]
    v
    (throw (ex-info (str "unbound: " sym) {:sym sym}))))
(defn ev-body [env body] (reduce (fn [_ f] (ev env f)) nil body))
(defn ev [env form]
  (cond
    (symbol? form) (lookup env form)
    (not (seq? form)) form
    (empty? form) nil
    :else
    (let [[op & args] form]
      (case op
        quote (first args)
        if (let [[c t e] args] (if (ev env c) (ev env t) (ev env e)))
        define (let [[n v] args] (if (seq? n) (swap! global-env assoc (first n) (ev env (list* 'lambda (rest n) (rest args)))) (swap! global-env assoc n (ev env v))) nil)
        lambda (let [[params & body] args] (fn [& vals] (ev-body (atom (merge @env (zipmap params vals))) body)))
        let (let [[bs & body] args] (ev-body (atom (into @env (map (fn [[k v]] [k (ev env v)])) bs)) body))
        begin (ev-body env args)
        cond (loop [[[c & b] & more] args] (when c (if (or (= c 'else) (ev env c)) (ev-body env b) (recur more))))
        (apply (ev env op) (map #(ev env %) args))))))
(defn run [src] (loop [forms (read-string (str "(" src ")")) r nil] (if (seq forms) (recur (rest forms) (ev (atom {}) (first forms))) r)))
(println (run "(define (fact n) (if (< n 2) 1 (* n (fact (- n 1))))) (fact 10)"))
(println (run "(define (map1 f xs) (if (empty? xs) (list) (cons (f (first xs)) (map1 f (rest xs))))) (map1 (lambda (x) (* x x)) (list 1 2 3))"))
(println (run "(let ((x 2) (y 3)) (begin (define z (+ x y)) (* z z)))"))
(println (run "(define make-adder (lambda (n) (lambda (x) (+ x n)))) ((make-adder 5) 37)"))
(println (run "(cond ((= 1 2) 'a) ((< 1 2) (str \"b\" 1)) (else 'c))"))
(println (try (run "(foo 1)") (catch clojure.lang.ExceptionInfo e [(ex-message e) (ex-data e)])))
(println (run "'(1 (2 x) \"s\" :k)"))
(keys (dissoc @global-env '+ '- '* '< '= 'list 'cons 'first 'rest 'empty? 'str))
