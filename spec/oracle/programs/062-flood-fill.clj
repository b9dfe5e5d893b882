(defn flood [grid [r c :as pos] new-color]
  (let [old (get-in grid pos)]
    (if (or (nil? old) (= old new-color))
      grid
      (reduce (fn [g [dr dc]]
                (let [p [(+ r dr) (+ c dc)]]
                  (if (= old (get-in g p)) (flood g p new-color) g)))
              (assoc-in grid pos new-color)
              [[0 1] [1 0] [0 -1] [-1 0]]))))
(def img [[1 1 0 0] [1 0 0 1] [1 1 1 1] [0 0 1 0]])
(run! println (flood img [0 0] 7))
(println)
(run! println (flood img [0 2] 5))
(defn regions [g]
  (loop [g g n 0]
    (if-let [p (first (for [r (range (count g)) c (range (count (g 0))) :when (= 1 (get-in g [r c]))] [r c]))]
      (recur (flood g p :seen) (inc n))
      n)))
(regions img)
