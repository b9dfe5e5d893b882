(defrecord Particle [id pos vel])
(defn step [{:keys [pos vel] :as p}]
  (let [[x y] (map + pos vel)
        bounce (fn [v c] (if (<= 0 c 10) v (- v)))]
    (assoc p :pos [(max 0 (min 10 x)) (max 0 (min 10 y))] :vel [(bounce (first vel) x) (bounce (second vel) y)])))
(def start [(->Particle 1 [0 0] [3 1]) (->Particle 2 [10 5] [-2 2])])
(doseq [[t ps] (map-indexed vector (take 6 (iterate #(mapv step %) start)))]
  (println t (map :pos ps)))
(prn (first start))
(println (= (first start) (->Particle 1 [0 0] [3 1])) (into {} (second start)))
(println (:mass (assoc (first start) :mass 5)) (dissoc (first start) :id))
(-> (first start) (update :pos conj 0) (assoc :tag "z"))
