(def graph
  {:a {:b 7 :c 9 :f 14}
   :b {:a 7 :c 10 :d 15}
   :c {:a 9 :b 10 :d 11 :f 2}
   :d {:b 15 :c 11 :e 6}
   :e {:d 6 :f 9}
   :f {:a 14 :c 2 :e 9}})

(defn dijkstra [g start]
  (loop [dist {start 0} prev {} queue (sorted-set [0 start]) done #{}]
    (if-let [[d u :as entry] (first queue)]
      (if (done u)
        (recur dist prev (disj queue entry) done)
        (let [better (for [[v w] (g u)
                           :let [nd (+ d w)]
                           :when (< nd (get dist v ##Inf))]
                       [v nd])]
          (recur (into dist better)
                 (into prev (map (fn [[v _]] [v u]) better))
                 (into (disj queue entry) (map (fn [[v nd]] [nd v]) better))
                 (conj done u))))
      {:dist dist :prev prev})))

(defn path [prev target]
  (->> (iterate prev target) (take-while some?) reverse vec))

(let [{:keys [dist prev]} (dijkstra graph :a)]
  (doseq [n (sort (keys graph))]
    (println n (dist n) (path prev n))))
(:dist (dijkstra graph :e))
