(defrecord Account [id owner balance])
(defn transfer [accounts from to amount]
  (let [src (get accounts from)]
    (cond
      (nil? src) (throw (ex-info "No such account" {:id from :type :missing}))
      (not (contains? accounts to)) (throw (ex-info "No such account" {:id to :type :missing}))
      (<= amount 0) (throw (IllegalArgumentException. "Amount must be positive"))
      (> amount (:balance src)) (throw (ex-info "Insufficient" {:need (- amount (:balance src)) :type :funds}))
      :else (-> accounts (update-in [from :balance] - amount) (update-in [to :balance] + amount)))))
(def accounts (into {} (map (juxt :id identity)) [(->Account 1 "Ann" 100) (->Account 2 "Bob" 50)]))
(defn attempt [accts [f t a]]
  (try (transfer accts f t a)
       (catch clojure.lang.ExceptionInfo e (println "!" (ex-message e) (into (sorted-map) (ex-data e))) accts)
       (catch IllegalArgumentException e (println "!!" (.getMessage e)) accts)))
(def final (reduce attempt accounts [[1 2 30] [2 1 500] [1 9 1] [1 2 -5] [2 1 80]]))
(doseq [a (sort-by :id (vals final))] (println (:id a) (:owner a) (:balance a)))
(println (= (->Account 1 "x" 0) (->Account 1 "x" 0)) (= (->Account 1 "x" 0) {:id 1 :owner "x" :balance 0}) (into {} (final 1)) (assoc (final 1) :vip true) (dissoc (final 1) :balance) (map->Account {:id 5}) (keys (final 2)) (record? (final 1)) (count (final 1)))
