(defn build [s]
  (loop [q (into (sorted-set) (map-indexed (fn [i [c n]] [n i {:char c}]) (sort-by (juxt val key) (frequencies s)))) i 1000]
    (if (= 1 (count q))
      (peek (first q))
      (let [[n1 _ a :as x] (first q) q (disj q x)
            [n2 _ b :as y] (first q) q (disj q y)]
        (recur (conj q [(+ n1 n2) i {:left a :right b}]) (inc i))))))
(defn codes
  ([t] (codes t ""))
  ([{:keys [char left right]} path]
   (if char {char path} (merge (codes left (str path "0")) (codes right (str path "1"))))))
(defn decode [tree bits]
  (loop [[b & more :as bs] bits node tree out []]
    (cond (:char node) (recur bs tree (conj out (:char node)))
          (empty? bs) (apply str out)
          :else (recur more (if (= b \0) (:left node) (:right node)) out))))
(def text "abracadabra alakazam")
(def tree (build text))
(def table (codes tree))
(doseq [[c code] (sort-by (juxt (comp count val) key) table)] (println (pr-str c) code))
(def encoded (apply str (map table text)))
(println (count encoded) "bits vs" (* 8 (count text)))
(= text (decode tree encoded))
