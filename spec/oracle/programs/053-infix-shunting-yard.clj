(def prec {'+ 1 '- 1 '* 2 '/ 2 '** 3})
(defn to-rpn [tokens]
  (loop [[t & more :as ts] tokens out [] ops []]
    (cond
      (empty? ts) (into out (rseq ops))
      (number? t) (recur more (conj out t) ops)
      (= t :open) (recur more out (conj ops t))
      (= t :close) (let [popped (take-while #(not= :open %) (rseq ops))]
                     (recur more (into out popped) (subvec ops 0 (- (count ops) (count popped) 1))))
      :else
      (let [higher? #(and (prec %) (or (> (prec %) (prec t)) (and (= (prec %) (prec t)) (not= t '**))))
            popped (take-while higher? (reverse ops))]
        (recur more (into out popped) (conj (subvec ops 0 (- (count ops) (count popped))) t))))))
(defn pow [a b] (reduce * (repeat b a)))
(defn eval-rpn [rpn]
  (peek (reduce (fn [st t]
                  (if (number? t) (conj st t)
                      (let [[a b] (take-last 2 st)]
                        (conj (vec (drop-last 2 st)) (({'+ + '- - '* * '/ / '** pow} t) a b)))))
                [] rpn)))
(doseq [e ['[1 + 2 * 3] '[:open 1 + 2 :close * 3] '[2 ** 3 ** 2] '[8 / 4 / 2] '[1 - 2 - 3]]]
  (println e (to-rpn e) (eval-rpn (to-rpn e))))
