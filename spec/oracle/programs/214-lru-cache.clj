;; A least-recently-used cache as a pure data structure.
(defprotocol Cache
  (lookup [c k] "value or nil")
  (hit [c k])
  (miss [c k v]))
(defrecord LRU [limit tick items order]
  Cache
  (lookup [_ k] (get items k))
  (hit [c k] (-> c (update :tick inc) (assoc-in [:order k] tick)))
  (miss [c k v]
    (let [full? (>= (count items) limit)
          victim (when full? (key (apply min-key val order)))]
      (-> c
          (update :tick inc)
          (assoc :items (assoc (if full? (dissoc items victim) items) k v))
          (assoc :order (assoc (if full? (dissoc order victim) order) k tick))))))
(defn fetch [cache k f]
  (if (contains? (:items cache) k)
    [(hit cache k) (lookup cache k) :hit]
    (let [v (f k)] [(miss cache k v) v :miss])))
(def trace (atom []))
(reduce (fn [c k]
          (let [[c v how] (fetch c k #(* % %))]
            (swap! trace conj [k v how])
            c))
        (->LRU 2 0 {} {})
        [1 2 1 3 2 1 1])
(doseq [[k v how] @trace] (println k v (name how)))
(frequencies (map peek @trace))
