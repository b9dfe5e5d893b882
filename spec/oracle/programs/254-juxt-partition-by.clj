(def log ["INFO start" "INFO load" "WARN slow" "ERROR boom" "ERROR again" "INFO end"])
(def parsed
  (map
   #(let [[lvl & more] (clojure.string/split % #" ")]
      {:level (keyword (clojure.string/lower-case lvl)) :msg (first more)})
   log))
(doseq [g (partition-by :level parsed)] (println (:level (first g)) (count g) (map :msg g)))
(prn (->> parsed (map-indexed vector) (filter (comp #{:error} :level second)) (map first)))
(prn ((juxt identity count #(map :level %)) (take 2 parsed)))
(prn
 (reduce
  (fn [acc {:keys [level msg]}]
    (-> acc (update-in [level :n] (fnil inc 0)) (update-in [level :msgs] (fnil conj #{}) msg)))
  {} parsed))
(into (sorted-map-by #(compare (name %2) (name %1))) (map (fn [[k v]] [k (mapv :msg v)]))
      (group-by :level parsed))
