(require '[clojure.string :as str] '[clojure.set :as set])
(derive ::deposit ::credit) (derive ::interest ::credit)
(derive ::withdraw ::debit) (derive ::fee ::debit) (derive ::transfer-out ::debit) (derive ::transfer-in ::credit)
(defmulti apply-event (fn [_ e] (:type e)))
(defmethod apply-event ::credit [acct {:keys [amount]}] (update acct :balance + amount))
(defmethod apply-event ::debit [{:keys [balance limit] :as acct} {:keys [amount] :as e}]
  (if (> amount (+ balance (or limit 0M)))
    (throw (ex-info "insufficient funds" {:needed (- amount balance) :event (name (:type e))}))
    (update acct :balance - amount)))
(defmethod apply-event ::open [_ {:keys [owner limit]}] {:owner owner :balance 0M :limit limit :history []})
(defmethod apply-event ::close [acct _]
  (if (zero? (:balance acct)) (assoc acct :closed true) (throw (IllegalStateException. (str "balance " (:balance acct))))))
(defmethod apply-event :default [_ e] (throw (IllegalArgumentException. (str "unknown event " (:type e)))))

(def ^:dynamic *audit* nil)
(defn log! [& xs] (when *audit* (swap! *audit* conj (vec xs))))
(defn handle [state {:keys [account] :as e}]
  (try
    (let [after (-> (apply-event (get state account) e) (update :history (fnil conj []) (name (:type e))))]
      (log! :ok account (:type e))
      (assoc state account after))
    (catch clojure.lang.ExceptionInfo x
      (log! :refused account (ex-message x) (ex-data x))
      (update-in state [:errors account] (fnil conj []) (ex-message x)))
    (catch IllegalStateException x (log! :state (.getMessage x)) state)
    (catch IllegalArgumentException x (log! :unknown (.getMessage x)) state)
    (finally (log! :done account))))
(def events
  [{:type ::open :account :a :owner "Ada" :limit 50M}
   {:type ::open :account :b :owner "Bob"}
   {:type ::deposit :account :a :amount 100.50M}
   {:type ::withdraw :account :a :amount 120M}
   {:type ::withdraw :account :b :amount 1M}
   {:type ::interest :account :b :amount 0.333M}
   {:type ::fee :account :a :amount 31M}
   {:type ::close :account :b}
   {:type ::nonsense :account :b}
   {:type ::transfer-out :account :a :amount 20M} {:type ::transfer-in :account :b :amount 20M}])
(def audit (atom []))
(def final (binding [*audit* audit] (reduce handle (sorted-map) events)))
(run! println @audit)
(println (count @audit) *audit*)
(doseq [[k v] final] (println k v))
(defn money [x] (let [r (.setScale (bigdec x) 2 java.math.RoundingMode/HALF_EVEN)] (str (when (neg? r) "-") "$" (.toPlainString (.abs r)))))
(println (map money [1M 0.005M 0.015M -2.345M 1/8 1e3 123456789.987M]))
(println (map #(money (:balance %)) (vals (dissoc final :errors))))
(println (isa? ::deposit ::credit) (descendants ::debit) (parents ::fee) (ancestors ::interest))
(println (sort (map str (keys (methods apply-event)))))
(def totals (reduce (fn [m {:keys [type amount]}] (cond-> m amount (update (if (isa? type ::credit) :in :out) (fnil + 0M) amount))) {} events))
(println totals (with-precision 4 (/ (:in totals) (:out totals))) (with-precision 3 :rounding FLOOR (/ 2M 3M)))
(println (try (/ 1M 3M) (catch ArithmeticException e (ex-message e))))
(println (= 1M 1.0M) (== 1M 1.0M) (= (hash 1M) (hash 1.0M)) (compare 1M 1.00M) (min 1M 1) (+ 1M 1/2) (* 2 1.10M) (quot 7.5M 2) (rem 7.5M 2))
(reduce-kv (fn [m k v] (assoc m k (or (:balance v) v))) {} final)
