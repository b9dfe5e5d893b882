(def deps
  {:app #{:web :db}
   :web #{:http :json}
   :db #{:pool :sql}
   :http #{:net}
   :json #{}
   :pool #{:net}
   :sql #{}
   :net #{}})

(defn topo-sort [g]
  (loop [g g order []]
    (if (empty? g)
      order
      (let [ready (sort (map key (filter (comp empty? val) g)))]
        (when (empty? ready)
          (throw (ex-info "Cycle detected" {:remaining (set (keys g))})))
        (recur (reduce-kv (fn [m k v] (assoc m k (reduce disj v ready)))
                          {} (apply dissoc g ready))
               (into order ready))))))

(println (topo-sort deps))
(try
  (topo-sort {:a #{:b} :b #{:c} :c #{:a} :d #{}})
  (catch clojure.lang.ExceptionInfo e
    (println (ex-message e) (sort (:remaining (ex-data e))))))
