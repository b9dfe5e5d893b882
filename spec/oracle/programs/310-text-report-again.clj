(def rows [["Widget" 4 3.5] ["Gadget" 10 12.25] ["Thing-a-ma-jig" 1 100.0]])
(let [w (apply max (map (comp count first) rows)) line (apply str (repeat (+ w 22) \-))]
  (println (format (str "%-" w "s %5s %7s %7s") "Item" "Qty" "Price" "Total")) (println line)
  (doseq [[n q p] rows] (println (format (str "%-" w "s %5d %7.2f %7.2f") n q p (* q p))))
  (println line)
  (println (format (str "%" (+ w 21) ".2f") (reduce + (map (fn [[_ q p]] (* q p)) rows)))))
