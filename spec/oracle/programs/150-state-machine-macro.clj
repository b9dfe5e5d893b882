(defmacro defmachine [name & clauses]
  `(def ~name
     ~(reduce (fn [m [from _ to on]] (assoc-in m [from on] to))
              {} (map (fn [[from arrow to kw on]] [from arrow to on]) (partition 5 clauses)))))
(defmachine door
  :open -> :closed on :close
  :closed -> :open on :open
  :closed -> :locked on :lock
  :locked -> :closed on :unlock)
(println (into (sorted-map) door))
(defn run [machine state events]
  (reduce (fn [s e] (or (get-in machine [s e]) (do (println "ignored" e "in" s) s))) state events))
(println (run door :open [:close :lock :open :unlock :open]))
(defmacro case-of [x & clauses]
  (let [g (gensym)] `(let [~g ~x] (cond ~@(mapcat (fn [[p body]] (if (= p '_) [:else body] [`(= ~g ~p) body])) (partition 2 clauses))))))
(map #(case-of % 1 :one (+ 1 1) :two _ :many) [1 2 3])
