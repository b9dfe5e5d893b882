(def g {:a [:b :c] :b [:d] :c [:d :e] :d [:f] :e [:f] :f []})
(defn dfs [g start]
  (loop [stack [start] seen #{} out []]
    (if-let [n (peek stack)]
      (if (seen n) (recur (pop stack) seen out)
          (recur (into (pop stack) (reverse (g n))) (conj seen n) (conj out n)))
      out)))
(defn bfs-levels [g start]
  (take-while seq (map first (iterate (fn [[level seen]] (let [nxt (vec (distinct (remove seen (mapcat g level))))] [nxt (into seen nxt)])) [[start] #{start}]))))
(defn all-paths [g from to] (if (= from to) [[to]] (for [n (g from) p (all-paths g n to)] (into [from] p))))
(println (dfs g :a))
(println (bfs-levels g :a))
(run! println (all-paths g :a :f))
(def reversed (reduce (fn [m [from to]] (update m to (fnil conj #{}) from)) {} (for [[k vs] g v vs] [k v])))
(println (into (sorted-map) reversed))
(into (sorted-map) (update-vals g count))
