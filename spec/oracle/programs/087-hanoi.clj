(defn hanoi [n from to via]
  (if (zero? n) [] (concat (hanoi (dec n) from via to) [[from to]] (hanoi (dec n) via to from))))
(defn apply-move [pegs [from to]]
  (let [d (peek (pegs from))]
    (assert (or (empty? (pegs to)) (< d (peek (pegs to)))) "illegal move")
    (-> pegs (update from pop) (update to conj d))))
(def start {:a [3 2 1] :b [] :c []})
(doseq [[i s] (map-indexed vector (reductions apply-move start (hanoi 3 :a :c :b)))] (println i s))
(println (map #(count (hanoi % :a :c :b)) (range 1 11)))
(try (apply-move {:a [2] :b [1]} [:a :b]) (catch AssertionError e (println (.getMessage e))))
