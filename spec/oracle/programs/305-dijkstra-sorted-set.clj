(def g
  {:a {:b 7 :c 9 :f 14} :b {:a 7 :c 10 :d 15} :c {:a 9 :b 10 :d 11 :f 2} :d {:b 15 :c 11 :e 6} :e
   {:d 6 :f 9} :f {:a 14 :c 2 :e 9}})
(defn dijkstra [g s]
  (loop [q (sorted-set [0 s]) dist {s 0} prev {}]
    (if-let [[d u :as node] (first q)]
      (let [q (disj q node)]
        (if (> d (dist u)) (recur q dist prev)
            (let
             [[q dist prev]
              (reduce
               (fn [[q dist prev] [v w]]
                 (let [nd (+ d w)]
                   (if (< nd (get dist v ##Inf))
                     [(conj q [nd v]) (assoc dist v nd) (assoc prev v u)] [q dist prev])))
               [q dist prev] (g u))]
              (recur q dist prev))))
      [dist prev])))
(let [[d p] (dijkstra g :a)]
  (println (into (sorted-map) d) (into (sorted-map) p) (reverse (take-while some? (iterate p :e)))))
