(deftype S [xs] clojure.lang.IPersistentStack (peek [_] (first xs)) (pop [_] (S. (rest xs)))
  (cons [_ x] (S. (cons x xs))) (count [_] (count xs)) (empty [_] (S. ())) (equiv [_ o] false)
  (seq [_] (seq xs)))
(let [s (-> (S. ()) (conj 1) (conj 2) (conj 3))]
  (prn (peek s) (peek (pop s)) (seq s) (count s) (empty? s)))
