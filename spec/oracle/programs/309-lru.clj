(defprotocol Cache (lookup [c k]) (store [c k v]))
(defrecord LRU [cap order data] Cache
  (lookup [c k]
    (if (contains? data k) [(get data k) (assoc c :order (conj (vec (remove #{k} order)) k))]
        [nil c]))
  (store [c k v]
    (let [order (conj (vec (remove #{k} order)) k) data (assoc data k v)]
      (if (> (count order) cap) (->LRU cap (subvec order 1) (dissoc data (first order)))
          (->LRU cap order data)))))
(let [c (-> (->LRU 2 [] {}) (store :a 1) (store :b 2)) [v c] (lookup c :a) c (store c :c 3)]
  (println v (:order c) (:data c) (first (lookup c :b))) (prn c))
