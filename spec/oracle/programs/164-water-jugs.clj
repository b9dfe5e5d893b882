(defn moves [[ca cb] [a b]]
  (distinct (remove #{[a b]} [[ca b] [a cb] [0 b] [a 0]
    (let [n (min a (- cb b))] [(- a n) (+ b n)]) (let [n (min b (- ca a))] [(+ a n) (- b n)])])))
(defn solve [caps goal]
  (loop [[path & more] [[[0 0]]] seen #{[0 0]}]
    (when path
      (if (some #{goal} (peek path)) path
          (let [nxt (remove seen (moves caps (peek path)))]
            (recur (concat more (map #(conj path %) nxt)) (into seen nxt)))))))
(doseq [[caps g] [[[3 5] 4] [[7 11] 5] [[2 4] 3]]] (println caps g (solve caps g)))
(count (solve [7 11] 5))
