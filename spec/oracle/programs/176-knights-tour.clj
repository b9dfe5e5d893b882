(def n 5)
(defn moves [visited [r c]]
  (for [[dr dc] [[1 2] [2 1] [-1 2] [-2 1] [1 -2] [2 -1] [-1 -2] [-2 -1]]
        :let [p [(+ r dr) (+ c dc)]]
        :when (and (every? #(< -1 % n) p) (not (visited p)))]
    p))
(defn tour [path visited]
  (if (= (* n n) (count path)) path
      (some #(tour (conj path %) (conj visited %))
            (sort-by #(count (moves visited %)) (moves visited (peek path))))))
(def t (tour [[0 0]] #{[0 0]}))
(def order (zipmap t (range 1 26)))
(doseq [r (range n)] (println (apply str (map #(format "%3d" (order [r %])) (range n)))))
(take 5 t)
