(defn sum-until [limit xs] (reduce (fn [acc x] (let [n (+ acc x)] (if (> n limit) (reduced [:stopped acc x]) n))) 0 xs))
(println (sum-until 20 (range)))
(println (sum-until 1000 (range 10)))
(defn first-duplicate [xs] (let [r (reduce (fn [seen x] (if (seen x) (reduced {:dup x}) (conj seen x))) #{} xs)] (:dup r)))
(println (first-duplicate [1 2 3 2 1]) (first-duplicate [1 2]))
(defn run-steps [steps input]
  (reduce (fn [acc [n f]] (let [r (f (:value acc))] (if (:error r) (reduced (assoc r :at n :done (:done acc))) (-> acc (assoc :value (:ok r)) (update :done conj n)))))
          {:value input :done []} steps))
(def steps [[:parse #(if-let [n (parse-long %)] {:ok n} {:error "not a number"})]
            [:positive #(if (pos? %) {:ok %} {:error "not positive"})]
            [:double #(hash-map :ok (* 2 %))]])
(run! prn (map #(run-steps steps %) ["21" "x" "-4"]))
