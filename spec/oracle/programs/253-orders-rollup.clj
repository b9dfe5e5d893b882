(def orders
  [{:id 1 :customer {:name "Ann" :tier :gold} :lines
    [{:sku "A" :qty 2 :price 9.99M} {:sku "B" :qty 1 :price 5M}]}
   {:id 2 :customer {:name "Bob" :tier :silver} :lines [{:sku "A" :qty 1 :price 9.99M}]}
   {:id 3 :customer {:name "Ann" :tier :gold} :lines []}
   {:id 4 :customer {:name "Cy" :tier nil} :lines [{:sku "C" :qty 10 :price 0.25M}]}])
(defn order-total [{:keys [lines]}]
  (reduce + 0M (map (fn [{:keys [qty price]}] (* qty price)) lines)))
(def by-customer
  (->> orders (group-by (comp :name :customer))
       (map (fn [[n os]] [n {:orders (count os) :total (reduce + (map order-total os))}]))
       (into (sorted-map))))
(doseq [[n {:keys [orders total]}] by-customer]
  (println
   (format "%-5s|%3d|%10.2f|%s" n orders total (.setScale total 1 java.math.RoundingMode/HALF_UP))))
(def best (apply max-key (comp :total val) by-customer))
(println best)
(prn
 (reduce-kv
  (fn [m k {:keys [total]}]
    (update m (cond (> total 20M) :big (pos? total) :small :else :none) (fnil conj []) k))
  {} by-customer))
(prn (frequencies (mapcat (fn [o] (map :sku (:lines o))) orders)))
(->> orders (map (juxt :id order-total (comp count :lines))) (sort-by (juxt (comp - second) first)))
