(defn insert [tree v]
  (cond (nil? tree) {:value v}
        (< v (:value tree)) (update tree :left insert v)
        (> v (:value tree)) (update tree :right insert v)
        :else tree))
(defn in-order [{:keys [value left right] :as t}]
  (when t (concat (in-order left) [value] (in-order right))))
(defn height [t] (if t (inc (max (height (:left t)) (height (:right t)))) 0))
(defn contains-value? [t v]
  (cond (nil? t) false
        (= v (:value t)) true
        :else (recur ((if (< v (:value t)) :left :right) t) v)))
(defn bfs [t]
  (loop [q [t] out []]
    (if-let [[n & more] (seq q)]
      (recur (concat more (keep n [:left :right])) (conj out (:value n)))
      out)))
(def t (reduce insert nil [50 30 70 20 40 60 80 30]))
(println (in-order t))
(println (height t) (contains-value? t 60) (contains-value? t 65))
(println (bfs t))
(defn draw [t depth]
  (when t
    (draw (:right t) (inc depth))
    (println (str (apply str (repeat (* 4 depth) " ")) (:value t)))
    (draw (:left t) (inc depth))))
(draw t 0)
(insert {:value 1} 2)
