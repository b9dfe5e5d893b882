(def orders
  [{:id 1 :customer :ann :total 25 :items ["a" "b"] :status :paid}
   {:id 2 :customer :bob :total 10 :items ["c"] :status :open}
   {:id 3 :customer :ann :total 40 :items ["a" "c" "d"] :status :paid}
   {:id 4 :customer :cyd :total 5 :items [] :status :cancelled}
   {:id 5 :customer :bob :total 60 :items ["b"] :status :paid}])
(println (->> orders (filter #(= :paid (:status %))) (map :total) (reduce +)))
(println (into (sorted-map) (update-vals (group-by :customer orders) #(reduce + (map :total %)))))
(println (frequencies (map :status orders)))
(println (->> orders (mapcat :items) frequencies (sort-by (juxt (comp - val) key))))
(println (reduce (fn [m {:keys [customer items]}] (update m customer (fnil into (sorted-set)) items)) {} orders))
(println (map (juxt :id (comp count :items)) (sort-by (comp count :items) > orders)))
(println (apply merge-with + (map (fn [{:keys [status total]}] {status total}) orders)))
(let [{paid :paid :as by-status} (group-by :status orders)]
  (println (count paid) (keys by-status)))
(map #(select-keys % [:id :total]) (take 2 (sort-by :total > orders)))
