(def registry (atom {}))
(defn register! [k deps f] (swap! registry assoc k {:deps deps :f f}))
(defn build [k cache]
  (if (contains? cache k)
    cache
    (let [{:keys [deps f]} (or (get @registry k) (throw (ex-info "missing component" {:component k})))
          cache (reduce #(build %2 %1) cache deps)]
      (println "starting" k)
      (assoc cache k (apply f (map cache deps))))))
(register! :config [] (constantly {:url "db://x" :port 1}))
(register! :db [:config] (fn [c] (str "conn:" (:url c))))
(register! :web [:config :db] (fn [c db] {:port (:port c) :db db}))
(register! :broken [:nope] identity)
(prn (:web (build :web {})))
(try (build :broken {}) (catch Exception e (println (ex-message e) (ex-data e))))
(sort (keys @registry))
