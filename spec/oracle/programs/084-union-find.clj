(defn find-root [parents x] (let [p (get parents x x)] (if (= p x) x (recur parents p))))
(defn union [parents [a b]]
  (let [ra (find-root parents a) rb (find-root parents b)]
    (if (= ra rb) parents (assoc parents (max ra rb) (min ra rb)))))
(def edges [[1 2] [3 4] [2 3] [5 6] [7 7]])
(def uf (reduce union {} edges))
(println (into (sorted-map) (group-by #(find-root uf %) (range 1 8))))
(defn kruskal [edges]
  (first (reduce (fn [[tree uf] [w a b :as e]]
                   (if (= (find-root uf a) (find-root uf b)) [tree uf] [(conj tree e) (union uf [a b])]))
                 [[] {}] (sort edges))))
(let [mst (kruskal [[7 1 2] [5 2 3] [8 1 3] [9 3 4] [4 1 4]])] (println mst (reduce + (map first mst))))
