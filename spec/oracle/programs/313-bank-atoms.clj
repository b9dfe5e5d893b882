(def accounts (atom {}))
(defn open! [id bal] (swap! accounts assoc id {:balance bal :history []}))
(defn withdraw! [id amt]
  (swap! accounts update id
         (fn [{:keys [balance] :as a}]
           (when (< balance amt)
             (throw (ex-info "Insufficient funds" {:type :insufficient :balance balance :requested amt})))
           (-> a (update :balance - amt) (update :history conj [:withdraw amt])))))
(defn transfer! [from to amt]
  (swap! accounts
         (fn [m]
           (-> m (update-in [from :balance] - amt) (update-in [to :balance] + amt)
               (update-in [from :history] conj [:to to amt])
               (update-in [to :history] conj [:from from amt])))))
(open! :a 100)
(open! :b 50.5)
(withdraw! :a 30)
(transfer! :a :b 20)
(println
 (try (withdraw! :a 500)
      (catch clojure.lang.ExceptionInfo e
        (let [{:keys [type balance requested]} (ex-data e)]
          (format "%s: %s has %s, wanted %s" (ex-message e) type balance requested)))))
(doseq [[id {:keys [balance history]}] (sort @accounts)] (println id balance history))
