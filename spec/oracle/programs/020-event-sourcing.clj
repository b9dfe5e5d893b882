(defmulti apply-event (fn [state event] (:type event)))
(defmethod apply-event :account-opened [_ {:keys [id owner]}]
  {:id id :owner owner :balance 0 :open? true})
(defmethod apply-event :deposited [s {:keys [amount]}] (update s :balance + amount))
(defmethod apply-event :withdrawn [s {:keys [amount]}] (update s :balance - amount))
(defmethod apply-event :closed [s _] (assoc s :open? false))

(def store (atom {}))
(defn append! [id & events] (swap! store update id (fnil into []) events))
(defn load-state [id] (reduce apply-event nil (get @store id)))
(defn replay-until [id n] (reduce apply-event nil (take n (get @store id))))

(append! 1 {:type :account-opened :id 1 :owner "Ann"} {:type :deposited :amount 100})
(append! 1 {:type :withdrawn :amount 30})
(append! 2 {:type :account-opened :id 2 :owner "Ben"})
(append! 1 {:type :closed})

(println (load-state 1))
(println (load-state 2))
(doseq [n (range 1 5)] (println n (replay-until 1 n)))
(println "events:" (into (sorted-map) (update-vals @store count)))
(frequencies (mapcat #(map :type %) (vals @store)))
