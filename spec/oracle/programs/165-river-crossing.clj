(require '[clojure.set])
(def start {:left #{:farmer :wolf :goat :cabbage} :right #{}})
(def unsafe [#{:wolf :goat} #{:goat :cabbage}])
(defn safe? [bank] (or (bank :farmer) (not-any? #(clojure.set/subset? % bank) unsafe)))
(defn next-states [{:keys [left right]}]
  (let [[from to k1 k2] (if (left :farmer) [left right :left :right] [right left :right :left])]
    (for [x (sort from) :let [moved (set [:farmer x]) s {k1 (reduce disj from moved) k2 (into to moved)}] :when (every? safe? (vals s))] s)))
(defn search [path seen]
  (if (empty? (:left (peek path))) path
      (some #(when-not (seen %) (search (conj path %) (conj seen %))) (next-states (peek path)))))
(def solution (search [start] #{start}))
(doseq [[i {:keys [left right]}] (map-indexed vector solution)] (println i (sort left) "~~~" (sort right)))
(count solution)
