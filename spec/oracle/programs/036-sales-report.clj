(def sales
  [{:region "North" :product "A" :units 10 :price 5.0}
   {:region "South" :product "A" :units 4 :price 5.0}
   {:region "North" :product "B" :units 7 :price 12.5}
   {:region "East" :product "C" :units 1 :price 99.0}
   {:region "South" :product "B" :units 3 :price 12.5}])
(defn revenue [{:keys [units price]}] (* units price))
(defn summarize [k rows]
  (into (sorted-map)
        (for [[g rs] (group-by k rows)]
          [g {:rows (count rs)
              :units (reduce + (map :units rs))
              :revenue (reduce + (map revenue rs))}])))
(doseq [k [:region :product]]
  (println "By" (name k))
  (doseq [[g {:keys [rows units revenue]}] (summarize k sales)]
    (println (format "  %-6s %2d rows %3d units %8.2f" g rows units revenue))))
(println "Best:" (select-keys (apply max-key revenue sales) [:region :product]))
(def pivot
  (reduce (fn [m {:keys [region product] :as s}] (update-in m [region product] (fnil + 0) (revenue s))) {} sales))
pivot
