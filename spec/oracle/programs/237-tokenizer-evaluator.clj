(defn tokens [s] (map (fn [[t n op]] (if n (parse-long n) (symbol t))) (re-seq #"(\d+)|[-+*/()]" s)))
(declare expr)
(defn factor [[t & ts]]
  (cond (number? t) [t ts]
        (= t '-) (let [[v r] (factor ts)] [(- v) r])
        :else (let [[v [_ & r]] (expr ts)] [v r])))
(defn chain [next-level ops ts]
  (loop [[v ts] (next-level ts)]
    (if-let [f (ops (first ts))]
      (let [[w r] (next-level (rest ts))] (recur [(f v w) r]))
      [v ts])))
(defn term [ts] (chain factor {'* * '/ /} ts))
(defn expr [ts] (chain term {'+ + '- -} ts))
(doseq [s ["1+2*3" "(1+2)*3" "10/4" "2*(3+4)*5" "-3+5" "8/2/2" "2-3-4" "((7))"]] (println s "=" (first (expr (tokens s)))))
(defn to-rpn [s]
  (loop [[t & more :as ts] (tokens s) out [] ops ()]
    (let [prec {'+ 1 '- 1 '* 2 '/ 2}]
      (cond
        (empty? ts) (into out ops)
        (number? t) (recur more (conj out t) ops)
        (= t (symbol "(")) (recur more out (cons t ops))
        (= t (symbol ")")) (let [[a [_ & b]] (split-with #(not= % (symbol "(")) ops)] (recur more (into out a) b))
        :else (let [[a b] (split-with #(>= (prec % 0) (prec t)) ops)] (recur more (into out a) (cons t b)))))))
(println (to-rpn "1+2*3-4") (to-rpn "(1+2)*(3-4)"))
(println (peek (reduce (fn [st x] (if (number? x) (conj st x) (let [b (peek st) a (peek (pop st))] (conj (pop (pop st)) (({'+ + '- - '* * '/ /} x) a b))))) [] (to-rpn "(1+2)*(3-4)/6"))))
