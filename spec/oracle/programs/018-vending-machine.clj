(def prices {:cola 150 :chips 100 :candy 75})
(def initial {:state :idle :credit 0 :stock {:cola 1 :chips 5 :candy 0} :log []})

(defn log [m & xs] (update m :log conj (apply str xs)))

(defmulti handle (fn [machine [event]] event))
(defmethod handle :coin [m [_ n]]
  (-> m (update :credit + n) (assoc :state :has-money) (log "coin " n)))
(defmethod handle :select [{:keys [credit stock] :as m} [_ item]]
  (let [price (prices item)]
    (cond
      (nil? price) (log m "unknown " item)
      (zero? (stock item)) (log m "sold out " item)
      (< credit price) (log m "need " (- price credit) " more")
      :else (-> m
                (update :credit - price)
                (update-in [:stock item] dec)
                (assoc :state (if (= credit price) :idle :has-money))
                (log "vend " item)))))
(defmethod handle :refund [m _]
  (-> m (log "refund " (:credit m)) (assoc :credit 0 :state :idle)))
(defmethod handle :default [m [e]] (log m "ignored " e))

(def final
  (reduce handle initial
          [[:coin 100] [:select :cola] [:coin 50] [:select :cola] [:select :cola]
           [:coin 100] [:select :candy] [:select :gum] [:kick] [:refund]]))
(run! println (:log final))
(dissoc final :log)
