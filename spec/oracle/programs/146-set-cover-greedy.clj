(def universe (set (range 1 11)))
(def subsets {:a #{1 2 3 8 9 10} :b #{1 2 3 4 5} :c #{4 5 7} :d #{5 6 7} :e #{6 7 8 9 10}})
(defn greedy [universe subsets]
  (loop [left universe chosen []]
    (if (empty? left) chosen
        (let [[k s] (apply max-key (fn [[_ s]] (count (filter left s))) (sort-by key (fn [a b] (compare b a)) subsets))]
          (if (not-any? left s) nil (recur (reduce disj left s) (conj chosen k)))))))
(println (greedy universe subsets))
(println (greedy (conj universe 99) subsets))
(defn exact-covers [u subs] (letfn [(go [left opts] (if (empty? left) [[]] (for [[k s] opts :when (and (s (apply min left)) (every? left s)) more (go (reduce disj left s) opts)] (cons k more))))] (go u subs)))
(exact-covers #{1 2 3 4} (sorted-map :p #{1 2} :q #{3 4} :r #{1} :s #{2 3} :t #{4}))
