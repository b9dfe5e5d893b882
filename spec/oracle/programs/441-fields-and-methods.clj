; Fields that have the names of methods, of the library and of the type itself.
(defrecord R [count get size])
(deftype T [length ^:unsynchronized-mutable first])
(def r (->R 9 8 7))
(println (.-count r) (.-get r) (.count r) (.-length (T. 1 2)) (. r -count) (.. r -count) (-> r .-size))
(println (map #(.-count %) [r r]))
(defprotocol Named (name-of [x] [x n]) (label [x n]))
(defrecord P [label] Named (name-of [x] :m) (name-of [x n] [:m n]) (label [x n] [label n]))
(deftype Q [label] Named (name-of [x] :m) (name-of [x n] [:m n]) (label [x n] [label n]))
(doseq [x [(->P 1) (->Q 1)]]
  (println (.label x) (.-label x) (.label x 2) (.name-of x 3)))
