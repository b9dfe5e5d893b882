(ns bank.core
  (:require [clojure.string :as str]))

(defn make-account [owner balance]
  {:owner owner :balance balance :history []})

(defn deposit [account amount]
  (when-not (pos? amount)
    (throw (ex-info "Deposit must be positive" {:amount amount})))
  (-> account
      (update :balance + amount)
      (update :history conj [:deposit amount])))

(defn withdraw [account amount]
  (if (> amount (:balance account))
    (throw (ex-info "Insufficient funds"
                    {:balance (:balance account) :requested amount}))
    (-> account
        (update :balance - amount)
        (update :history conj [:withdraw amount]))))

(defn transfer [accounts from to amount]
  (-> accounts
      (update from withdraw amount)
      (update to deposit amount)))

(def accounts
  (atom {:alice (make-account "Alice" 100)
         :bob (make-account "Bob" 50)}))

(swap! accounts transfer :alice :bob 30)
(println "Alice:" (get-in @accounts [:alice :balance]))
(println "Bob:" (get-in @accounts [:bob :balance]))

(try
  (swap! accounts transfer :alice :bob 500)
  (catch clojure.lang.ExceptionInfo e
    (println "Error:" (ex-message e))
    (prn (ex-data e))))

(try
  (swap! accounts update :bob deposit -5)
  (catch Exception e
    (println "Error:" (.getMessage e) (:amount (ex-data e)))))

(doseq [[k {:keys [owner balance history]}] (sort-by key @accounts)]
  (println (str (str/upper-case (name k)) " " owner ": $" balance " " history)))
@accounts
