(def catalog {"apple" 0.5 "bread" 2.25 "milk" 1.2 "cheese" 6.75})
(defn add-item [cart item n]
  (if (contains? catalog item)
    (update cart item (fnil + 0) n)
    (throw (ex-info (str "No such item: " item) {:item item}))))
(defn subtotal [cart] (reduce-kv (fn [t item n] (+ t (* n (catalog item)))) 0 cart))
(defn discount [total] (cond (> total 50) 0.1 (> total 20) 0.05 :else 0))
(defn receipt [cart]
  (doseq [[item n] (sort cart)]
    (println (format "%-10s x%-3d %7.2f" item n (* n (catalog item)))))
  (let [s (subtotal cart) d (* s (discount s))]
    (println (format "%-15s %7.2f" "Subtotal" s))
    (when (pos? d) (println (format "%-15s %7.2f" "Discount" (- d))))
    (println (format "%-15s %7.2f" "Total" (- s d)))))
(def cart (-> {} (add-item "apple" 6) (add-item "cheese" 3) (add-item "apple" 2)))
(receipt cart)
(try (add-item cart "caviar" 1) (catch Exception e (println (ex-message e))))
cart
