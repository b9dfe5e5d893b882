;; The hash of a map is computed once, by methods of its values, while the map is looked up in a set.
(deftype Row [xs]
  Object (hashCode [_] (hash xs)) (equals [_ o] (and (instance? Row o) (= xs (.-xs ^Row o)))) (toString [_] (str xs))
  clojure.lang.IHashEq (hasheq [_] (hash xs))
  clojure.lang.Sequential
  clojure.lang.ISeq
  (equiv [s o] (and (== (hash s) (hash o)) (= (seq s) o)))
  (first [s] (first (seq s))) (next [s] (next (seq s))) (more [s] (rest (seq s))) (cons [s x] (cons x s)) (empty [_] ())
  clojure.lang.Counted (count [_] (count xs))
  clojure.lang.Seqable (seq [_] (seq xs)))
(defn row [i] {:result (Row. [[:k (str i)]]) :index 4})
(def seen (atom #{}))
(def wrong (atom []))
(dotimes [i 400]
  (let [r (row i)]
    (when (@seen r) (swap! wrong conj i))
    (when-not (contains? @seen r) (swap! seen conj r))
    (when (> (count @seen) 2) (reset! seen #{}))))
(prn @wrong)
(def all (into #{} (map row) (range 300)))
(prn (count all) (every? all (map row (range 300))) (some all (map row (range 300 400))))
(def table (zipmap (map row (range 100)) (range)))
(prn (= (range 100) (map table (map row (range 100)))) (get table (row 100)))
(prn (= (map row (range 50)) (mapv row (range 50))) (= (mapv row (range 50)) (mapv row (range 1 51))))
(prn (= (hash (mapv :result (map row (range 20)))) (hash (mapv (fn [i] [[:k (str i)]]) (range 20)))))
(pr-str (map :result (map row (range 5))))
