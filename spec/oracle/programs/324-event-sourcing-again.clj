(defrecord Account [id balance version])
(defprotocol Event (apply-event [e acc]))
(defrecord Deposited [amt] Event
  (apply-event [_ a] (-> a (update :balance + amt) (update :version inc))))
(defrecord Withdrawn [amt] Event
  (apply-event [_ a] (-> a (update :balance - amt) (update :version inc))))
(def evs [(->Deposited 100) (->Withdrawn 30) (->Deposited 5)])
(let [a (reduce #(apply-event %2 %1) (->Account "x" 0 0) evs)]
  (println a (:balance a) (str (:id a)) (= a (->Account "x" 75 3)) (into {} a))
  (prn (map #(vector (.getSimpleName (class %)) (:amt %)) evs)
       (reductions #(apply-event %2 %1) (->Account "x" 0 0) evs) (assoc a :note "n") (dissoc a :id)
       (keys a) (select-keys a [:id]) (map->Account {:id 1}) (update a :balance / 2)))
