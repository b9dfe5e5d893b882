(defn step [{:keys [floor dir stops] :as e}]
  (cond
    (empty? stops) (assoc e :dir :idle)
    (contains? stops floor) (-> e (update :stops disj floor) (update :log conj [:open floor]))
    (and (= dir :up) (some #(> % floor) stops)) (update e :floor inc)
    (and (= dir :down) (some #(< % floor) stops)) (update e :floor dec)
    :else (assoc e :dir (if (some #(> % floor) stops) :up :down))))
(def trace (take-while #(not= :idle (:dir %)) (iterate step {:floor 3 :dir :up :stops (sorted-set 1 5 7) :log []})))
(doseq [{:keys [floor dir stops]} trace] (println floor dir stops))
(:log (last trace))
