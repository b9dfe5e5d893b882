(defprotocol State (on [this ev]) (label [_]))
(declare closed opened locked)
(defn mk [nm t]
  (reify State (on [this ev] (if-let [nx (get (t) ev)] nx this)) (label [_] nm) Object
    (toString [_] (str "<" nm ">"))))
(def closed (mk "closed" #(hash-map :open opened :lock locked)))
(def opened (mk "opened" #(hash-map :close closed)))
(def locked (mk "locked" #(hash-map :unlock closed)))
(println (map label (reductions on closed [:open :lock :close :lock :open :unlock])) (str closed))
