(defn safe? [queens col]
  (let [row (count queens)]
    (every? (fn [[r c]]
              (and (not= c col)
                   (not= (Math/abs (- row r)) (Math/abs (- col c)))))
            (map-indexed vector queens))))

(defn solve [n]
  (letfn [(place [queens]
            (if (= n (count queens))
              [queens]
              (mapcat #(place (conj queens %))
                      (filter #(safe? queens %) (range n)))))]
    (place [])))

(defn render [queens]
  (doseq [c queens]
    (println (apply str (map #(if (= % c) "Q " ". ") (range (count queens)))))))

(doseq [n (range 1 7)]
  (println n "queens:" (count (solve n)) "solutions"))
(render (first (solve 6)))
(first (solve 8))
