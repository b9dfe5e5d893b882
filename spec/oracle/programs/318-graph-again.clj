(def g {:a #{:b :c} :b #{:d} :c #{:d} :d #{:e} :e #{}})
(defn bfs [g s]
  (loop [q (conj clojure.lang.PersistentQueue/EMPTY s) seen #{s} out []]
    (if-let [n (peek q)]
      (let [nx (remove seen (sort (g n)))] (recur (into (pop q) nx) (into seen nx) (conj out n)))
      out)))
(defn dfs [g s]
  (loop [st [s] seen #{} out []]
    (if (empty? st) out
        (let [n (peek st)]
          (if (seen n) (recur (pop st) seen out)
              (recur (into (pop st) (reverse (sort (g n)))) (conj seen n) (conj out n)))))))
(defn topo [g]
  (loop [g g out []]
    (if (empty? g) out
        (let [free (sort (remove (set (mapcat val g)) (keys g)))]
          (if (empty? free) :cycle (recur (apply dissoc g free) (into out free)))))))
(println (bfs g :a) (dfs g :a) (topo g) (topo {:a #{:b} :b #{:a}}))
(defn paths [g a b] (if (= a b) [[b]] (for [n (sort (g a)) p (paths g n b)] (cons a p))))
(println (paths g :a :e))
(println
 (letfn [(reach [seen n] (reduce (fn [s m] (if (s m) s (reach (conj s m) m))) seen (g n)))]
   (sort (reach #{} :b))))
