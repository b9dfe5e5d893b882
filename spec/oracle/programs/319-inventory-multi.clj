(defmulti handle (fn [state ev] (:type ev)))
(defmethod handle :add [s {:keys [sku qty]}] (update-in s [:stock sku] (fnil + 0) qty))
(defmethod handle :remove [s {:keys [sku qty]}]
  (let [have (get-in s [:stock sku] 0)]
    (if (< have qty) (update s :errors conj (str "short " (name sku) " by " (- qty have)))
        (update-in s [:stock sku] - qty))))
(defmethod handle :default [s ev] (update s :errors conj (str "unknown event " (:type ev))))
(def end
  (reduce handle {:stock {} :errors []}
          [{:type :add :sku :w :qty 5} {:type :remove :sku :w :qty 3} {:type :remove :sku :x :qty 1}
           {:type :boom} {:type :add :sku :x :qty 2}]))
(clojure.pprint/pprint end)
(clojure.pprint/print-table (for [[k v] (:stock end)] {:sku (name k) :qty v}))
(println (keys (methods handle)))
