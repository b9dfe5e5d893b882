; Shortest ways on a grid with a sorted set, maps and destructuring.
(defn neighbours [[x y] n]
  (for [[dx dy] [[0 1] [1 0] [0 -1] [-1 0]]
        :let [p [(+ x dx) (+ y dy)]]
        :when (every? #(< -1 % n) p)]
    p))
(defn cost [[x y]] (inc (mod (+ (* x 7) (* y 13) (* x y)) 9)))
(defn kernel []
  (let [n 30]
    (loop [queue (sorted-set [0 [0 0]]), dist {[0 0] 0}]
      (if-let [[d p :as item] (first queue)]
        (let [better (for [q (neighbours p n)
                           :let [e (+ d (cost q))]
                           :when (< e (get dist q Long/MAX_VALUE))]
                       [e q])]
          (recur (into (disj queue item) better)
                 (into dist (map (fn [[e q]] [q e])) better)))
        (dist [(dec n) (dec n)])))))
