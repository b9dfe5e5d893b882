(require '[clojure.walk :as walk] '[clojure.string :as str])
(declare compile-expr)
(defn compile-body [forms env] (concat (mapcat #(concat (compile-expr % env) [[:drop]]) (butlast forms)) (compile-expr (last forms) env)))
(defn compile-expr [form env]
  (cond
    (or (number? form) (string? form) (boolean? form) (nil? form)) [[:push form]]
    (symbol? form) (if-let [i (get env form)] [[:load i]] [[:global form]])
    (seq? form)
    (let [[op & args] form]
      (case op
        if (let [[t a b] args
                 then (compile-expr a env) els (compile-expr b env)]
             (concat (compile-expr t env) [[:jump-false (inc (count then))]] then [[:jump (count els)]] els))
        let (let [[bindings & body] args
                  [code env'] (reduce (fn [[code env] [s v]]
                                        (let [i (count env)] [(concat code (compile-expr v env) [[:store i]]) (assoc env s i)]))
                                      [[] env] (partition 2 bindings))]
              (concat code (compile-body body env')))
        fn (let [[params & body] args
                 env' (zipmap params (range))]
             [[:closure (count params) (vec (compile-body body env'))]])
        do (compile-body args env)
        quote [[:push (first args)]]
        (concat (compile-expr op env) (mapcat #(compile-expr % env) args) [[:call (count args)]])))
    :else (throw (ex-info "can't compile" {:form form}))))
(def globals
  (atom {'+ +' '- -' '* *' '= = '< < 'list list 'first first 'rest rest 'cons cons 'empty? empty? 'str str}))
(defn run
  ([code] (run code []))
  ([code locals]
   (loop [pc 0 stack [] locals locals steps 0]
     (when (> steps 20000) (throw (ex-info "too long" {:pc pc})))
     (if (>= pc (count code))
       (peek stack)
       (let [[op a b] (nth code pc)]
         (case op
           :push (recur (inc pc) (conj stack a) locals (inc steps))
           :drop (recur (inc pc) (pop stack) locals (inc steps))
           :load (recur (inc pc) (conj stack (nth locals a)) locals (inc steps))
           :store (recur (inc pc) (pop stack) (assoc locals a (peek stack)) (inc steps))
           :global (recur (inc pc) (conj stack (if (contains? @globals a) (@globals a) (throw (ex-info (str "undefined: " a) {:name a})))) locals (inc steps))
           :jump (recur (+ pc a 1) stack locals (inc steps))
           :jump-false (recur (if (peek stack) (inc pc) (+ pc a 1)) (pop stack) locals (inc steps))
           :closure (recur (inc pc) (conj stack (fn [& args]
                                                  (when (not= a (count args)) (throw (ex-info "arity" {:want a :got (count args)})))
                                                  (run b (vec args)))) locals (inc steps))
           :call (let [n (count stack) args (subvec stack (- n a)) f (nth stack (- n a 1))]
                   (recur (inc pc) (conj (subvec stack 0 (- n a 1)) (apply f args)) locals (inc steps)))))))))
(defn define [name form] (swap! globals assoc name (run (vec (compile-expr form {})))))
(define 'fact '(fn [n] (if (< n 2) 1 (* n (fact (- n 1))))))
(define 'map1 '(fn [f xs] (if (empty? xs) (quote ()) (cons (f (first xs)) (map1 f (rest xs))))))
(define 'fib '(fn [n] (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))))
(doseq [form '[(+ 1 2) (let [x 2 y (* x x)] (+ x y)) (fact 25) (map1 fact (list 1 2 3 4)) (if nil 1 2)
               (do 1 2 (str "a" 3)) ((fn [a b] (- a b)) 10 3) (fib 12) (nope 1) (fact 1 2) {:a 1} (quote (a b)) (let [x 1] (let [x (+ x 1) y x] (list x y)))]]
  (println form "=>" (try (pr-str (run (vec (compile-expr form {}))))
                          (catch clojure.lang.ExceptionInfo e (str "error " (ex-message e) " " (ex-data e))))))
(run! prn (compile-expr '(let [a 1] (if (< a 2) (list a) nil)) {}))
(defn simplify [form]
  (walk/postwalk (fn [x] (if (and (seq? x) (= '* (first x)) (some #{0} x)) 0
                           (if (and (seq? x) (= '+ (first x)) (some #{0} (rest x)))
                             (let [r (remove #{0} (rest x))] (if (next r) (cons '+ r) (first r))) x))) form))
(prn (simplify '(+ (* a 0) (* b 1) (+ c 0))) (count (flatten (compile-expr '(fact 5) {}))))
(walk/prewalk-replace '{x (inc y) y 10} '(let [z x] (+ z y)))
