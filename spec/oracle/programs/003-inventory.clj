(def inventory
  [{:sku "A100" :name "Widget" :qty 10 :price 2.50 :tags #{:small :metal}}
   {:sku "B200" :name "Gadget" :qty 0 :price 19.99 :tags #{:electronic}}
   {:sku "C300" :name "Doohickey" :qty 5 :price 7.25 :tags #{:small}}
   {:sku "D400" :name "Thingamajig" :qty 120 :price 0.10 :tags #{:small :plastic}}])

(defn in-stock [items] (filter (comp pos? :qty) items))
(defn total-value [items]
  (reduce + (map (fn [{:keys [qty price]}] (* qty price)) items)))
(defn by-tag [items tag] (filter #(contains? (:tags %) tag) items))

(println "In stock:" (map :name (in-stock inventory)))
(println "Total value:" (total-value inventory))
(println "Small things:" (mapv :sku (by-tag inventory :small)))

(defn restock [items sku n]
  (mapv (fn [item] (if (= sku (:sku item)) (update item :qty + n) item)) items))

(let [updated (restock inventory "B200" 3)]
  (println "Gadgets:" (:qty (first (filter #(= "B200" (:sku %)) updated))))
  (printf "New value: %.2f%n" (total-value updated)))

(println (format "%-6s %-12s %5s %8s" "SKU" "Name" "Qty" "Price"))
(doseq [{:keys [sku name qty price]} (sort-by :name inventory)]
  (println (format "%-6s %-12s %5d %8.2f" sku name qty price)))
(group-by (comp zero? :qty) inventory)
