(defprotocol Account (deposit [a n]) (withdraw [a n]) (fee [a]))
(defrecord Checking [owner balance]
  Account
  (deposit [a n] (update a :balance + n))
  (withdraw [a n] (if (> n balance) (throw (ex-info "overdrawn" {:owner owner :short (- n balance)})) (update a :balance - n)))
  (fee [_] 1))
(defrecord Savings [owner balance rate]
  Account
  (deposit [a n] (update a :balance + n))
  (withdraw [a n] (update a :balance - n (fee a)))
  (fee [_] 2))
(def accts [(->Checking "Ann" 100) (->Savings "Bob" 200 1/20)])
(run! prn (map #(-> % (deposit 50) (withdraw 20)) accts))
(prn (try (withdraw (first accts) 500) (catch clojure.lang.ExceptionInfo e (ex-data e))))
(defn add-interest [s] (update s :balance #(* % (+ 1 (:rate s)))))
(prn (add-interest (second accts)))
(println (map fee accts) (map (comp str :owner) accts) (satisfies? Account (first accts)) (satisfies? Account {}))
(println (instance? Checking (first accts)) (record? (first accts)) (map? (first accts)) (count (second accts)))
(assoc (first accts) :note "vip")
