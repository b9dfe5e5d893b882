(let [n 9]
  (println (str "   |" (apply str (map #(format "%4d" %) (range 1 (inc n))))))
  (println (str "---+" (apply str (repeat (* 4 n) "-"))))
  (doseq [i (range 1 (inc n))]
    (println (str (format "%2d |" i) (apply str (map #(format "%4d" (* i %)) (range 1 (inc n))))))))
(def m (into (sorted-map) (for [i (range 1 4)] [i (mapv #(* i %) (range 1 6))])))
(prn m)
(for [i (range 1 4) j (range i 4)] (str i "x" j "=" (* i j)))
