(def rules
  [{:name :adult :when #(>= (:age %) 18) :then #(assoc % :adult true)}
   {:name :discount :when #(and (:member %) (> (:total %) 100)) :then #(update % :total * 0.9)}
   {:name :senior :when #(> (:age %) 65) :then #(-> % (update :total - 5) (update :notes conj "senior"))}
   {:name :never :when (constantly false) :then identity}])
(defn run-rules [facts]
  (reduce (fn [{:keys [facts fired]} {:keys [name when then]}]
            (if (when facts) {:facts (then facts) :fired (conj fired name)} {:facts facts :fired fired}))
          {:facts facts :fired []} rules))
(doseq [f [{:age 30 :member true :total 200.0 :notes []} {:age 70 :member false :total 50.0 :notes []} {:age 10 :total 1 :notes []}]]
  (let [{:keys [facts fired]} (run-rules f)] (println fired (into (sorted-map) facts))))
