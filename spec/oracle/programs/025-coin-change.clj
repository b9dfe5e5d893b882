(def count-ways
  (memoize (fn [amount coins]
             (cond (zero? amount) 1
                   (or (neg? amount) (empty? coins)) 0
                   :else (+ (count-ways (- amount (first coins)) coins)
                            (count-ways amount (rest coins)))))))
(println "ways to make 100:" (count-ways 100 [50 25 10 5 1]))

(defn min-coins [amount coins]
  (let [table (reduce (fn [t a]
                        (let [opts (keep #(when (>= a %) (t (- a %))) coins)]
                          (assoc t a (when-let [o (seq (remove nil? opts))] (inc (apply min o))))))
                      {0 0} (range 1 (inc amount)))]
    (table amount)))
(doseq [[a cs] [[11 [1 2 5]] [3 [2]] [63 [1 5 10 21 25]] [0 [1]]]]
  (println a cs (min-coins a cs)))

(defn greedy [amount]
  (first (reduce (fn [[acc left] c] [(if (pos? (quot left c)) (assoc acc c (quot left c)) acc) (rem left c)])
                 [(array-map) amount] [100 50 25 10 5 1])))
(greedy 287)
