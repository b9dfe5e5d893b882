(def world
  {:rooms {:hall {:desc "a dusty hall" :exits {:north :library :east :kitchen} :items #{:lamp}}
           :library {:desc "a quiet library" :exits {:south :hall} :items #{:book}}
           :kitchen {:desc "a warm kitchen" :exits {:west :hall} :items #{}}}})
(def start {:at :hall :bag #{} :world world :out []})
(defn say [s & xs] (update s :out conj (apply str xs)))
(defn room [s] (get-in s [:world :rooms (:at s)]))
(defmulti command (fn [_ [verb]] verb))
(defmethod command :look [s _] (say s "You are in " (:desc (room s)) ". Items: " (vec (sort (:items (room s))))))
(defmethod command :go [s [_ dir]]
  (if-let [dest (get-in (room s) [:exits dir])]
    (-> s (assoc :at dest) (say "You walk " (name dir)))
    (say s "No way " (name dir))))
(defmethod command :take [s [_ item]]
  (if (contains? (:items (room s)) item)
    (-> s (update :bag conj item) (update-in [:world :rooms (:at s) :items] disj item) (say "Taken: " (name item)))
    (say s "No " (name item) " here")))
(defmethod command :default [s [v]] (say s "I don't know how to " (name v)))
(let [end (reduce command start [[:look] [:take :lamp] [:take :sword] [:go :north] [:look] [:take :book] [:go :up] [:dance] [:go :south] [:look]])]
  (run! println (:out end))
  (println (:at end) (sort (:bag end))))
