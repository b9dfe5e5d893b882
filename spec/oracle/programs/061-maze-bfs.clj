(def maze ["S.#....."
           "..#.###."
           ".##.#..."
           "....#.#E"])
(def grid (into {} (for [[y row] (map-indexed vector maze) [x c] (map-indexed vector row)] [[x y] c])))
(defn find-cell [ch] (some (fn [[p c]] (when (= c ch) p)) grid))
(defn neighbours [[x y]] (filter #(contains? #{\. \E \S} (grid %)) [[(inc x) y] [(dec x) y] [x (inc y)] [x (dec y)]]))
(defn bfs [start goal]
  (loop [q (conj clojure.lang.PersistentQueue/EMPTY start) prev {start nil}]
    (when-let [p (peek q)]
      (if (= p goal)
        (reverse (take-while some? (iterate prev p)))
        (let [ns (remove #(contains? prev %) (neighbours p))]
          (recur (into (pop q) ns) (into prev (map #(vector % p) ns))))))))
(let [path (bfs (find-cell \S) (find-cell \E))]
  (println "steps" (dec (count path)))
  (println path)
  (doseq [[y row] (map-indexed vector maze)]
    (println (apply str (map-indexed (fn [x c] (if (and (= c \.) (some #{[x y]} path)) \* c)) row)))))
