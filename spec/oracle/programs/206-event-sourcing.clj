(defmulti apply-event (fn [_ e] (:type e)))
(defmethod apply-event :opened [_ {:keys [id owner]}] {:id id :owner owner :balance 0M :open? true})
(defmethod apply-event :deposited [acc {:keys [amount]}] (update acc :balance + amount))
(defmethod apply-event :withdrawn [acc {:keys [amount]}]
  (when (> amount (:balance acc))
    (throw (ex-info "Insufficient funds" {:balance (:balance acc) :amount amount})))
  (update acc :balance - amount))
(defmethod apply-event :closed [acc _] (assoc acc :open? false))
(defmethod apply-event :default [acc e] (assoc acc :unknown (:type e)))
(def events [{:type :opened :id 1 :owner "Ada"} {:type :deposited :amount 100.50M}
             {:type :withdrawn :amount 30.25M} {:type :renamed} {:type :closed}])
(doseq [s (reductions apply-event nil events)] (prn s))
(try (reduce apply-event nil (conj (vec (take 2 events)) {:type :withdrawn :amount 1000M}))
     (catch clojure.lang.ExceptionInfo e
       (println (ex-message e) (ex-data e) (nil? (ex-cause e)))))
(sort (map str (keys (methods apply-event))))
