(defrecord Acc [id bal] Comparable (compareTo [_ o] (compare bal (:bal o))) clojure.lang.IFn
  (invoke [_ k] (str id k)))
(prn (sort [(->Acc 1 30) (->Acc 2 10)]) ((->Acc 1 2) :x) (map :id (sort [(->Acc 1 3) (->Acc 2 1)])))
(defmethod print-method Acc [a w] (.write w (str "<" (:id a) ">")))
(prn (->Acc 1 2) [(->Acc 3 4)])
(println (->Acc 1 2))
(defmethod print-method ::pt [p w] (.write w "PT"))
(prn (with-meta {:x 1} {:type ::pt}))
