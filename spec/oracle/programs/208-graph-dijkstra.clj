(require '[clojure.string :as str])
(def graph {:a {:b 7 :c 9 :f 14} :b {:a 7 :c 10 :d 15} :c {:a 9 :b 10 :d 11 :f 2}
            :d {:b 15 :c 11 :e 6} :e {:d 6 :f 9} :f {:a 14 :c 2 :e 9}})
(defn dijkstra [g src]
  (loop [frontier (sorted-set [0 src]) dist {src 0} prev {}]
    (if-let [[d u :as e] (first frontier)]
      (let [better (for [[v w] (g u) :let [nd (+ d w)] :when (< nd (dist v Long/MAX_VALUE))] [v nd])]
        (recur (into (disj frontier e) (map (fn [[v nd]] [nd v]) better))
               (into dist better)
               (into prev (map (fn [[v _]] [v u]) better))))
      [dist prev])))
(let [[dist prev] (dijkstra graph :a)]
  (doseq [[k v] (sort dist)] (println k v (->> (iterate prev k) (take-while some?) reverse (map name) (str/join "->")))))
(defn bellman [edges src n]
  (nth (iterate (fn [d] (reduce (fn [d [u v w]] (if (and (d u) (< (+ (d u) w) (d v Long/MAX_VALUE))) (assoc d v (+ (d u) w)) d)) d edges)) {src 0}) n))
(println (sort (bellman [[:s :t 6] [:s :y 7] [:t :x 5] [:t :y 8] [:t :z -4] [:x :t -2] [:y :x -3] [:y :z 9] [:z :s 2] [:z :x 7]] :s 5)))
(defn kruskal [edges]
  (let [find-root (fn [p x] (if (= x (p x x)) x (recur p (p x))))]
    (first (reduce (fn [[tree p] [w u v]]
                     (let [a (if (contains? p u) (loop [x u] (if (= x (p x x)) x (recur (p x)))) u)
                           b (loop [x v] (if (= x (p x x)) x (recur (p x))))]
                       (if (= a b) [tree p] [(conj tree [u v w]) (assoc p a b)])))
                   [[] {}] (sort edges)))))
(println (kruskal [[7 :a :b] [5 :b :c] [8 :a :d] [9 :b :d] [7 :b :e] [5 :c :e] [15 :d :e] [6 :d :f] [8 :e :f] [9 :e :g] [11 :f :g]]))
