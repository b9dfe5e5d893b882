(defn lru [capacity] {:capacity capacity :tick 0 :data {} :order (sorted-map)})

(defn touch [{:keys [tick data order] :as c} k]
  (let [old (get-in data [k :tick])]
    (-> c
        (assoc :tick (inc tick))
        (assoc-in [:data k :tick] tick)
        (assoc :order (assoc (dissoc order old) tick k)))))

(defn lru-get [c k]
  (if (contains? (:data c) k)
    [(get-in c [:data k :value]) (touch c k)]
    [nil c]))

(defn lru-put [{:keys [capacity data order] :as c} k v]
  (let [c (if (and (not (contains? data k)) (>= (count data) capacity))
            (let [[t victim] (first order)]
              (-> c (update :data dissoc victim) (update :order dissoc t)))
            c)]
    (-> c (touch k) (assoc-in [:data k :value] v))))

(let [c (-> (lru 2) (lru-put :a 1) (lru-put :b 2))
      [v c] (lru-get c :a)
      c (lru-put c :c 3)]
  (println "a =" v)
  (println "keys" (sort (keys (:data c))))
  (println "b =" (first (lru-get c :b)))
  (println "order" (vals (:order c))))
