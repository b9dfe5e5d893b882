(defmacro unless [test & body] `(if ~test nil (do ~@body)))
(defmacro my-while [test & body] `(loop [] (when ~test ~@body (recur))))
(defmacro with-timing-log [label & body]
  `(do (println "start" ~label)
       (let [result# (do ~@body)]
         (println "end" ~label "=>" result#)
         result#)))
(defmacro defvalidator [name & clauses]
  `(defn ~name [x#]
     (vec (keep (fn [[msg# pred#]] (when-not (pred# x#) msg#))
                ~(mapv (fn [[msg pred]] [msg pred]) (partition 2 clauses))))))
(defmacro infix
  ([a] a)
  ([a op b & more] `(infix (~op ~a ~b) ~@more)))

(unless false (println "unless works"))
(let [n (atom 3)]
  (my-while (pos? @n) (print @n "") (swap! n dec))
  (println))
(with-timing-log "sum" (reduce + (range 10)))
(defvalidator check-password
  "too short" #(>= (count %) 8)
  "needs digit" #(re-find #"\d" %)
  "needs upper" #(re-find #"[A-Z]" %))
(prn (check-password "abc"))
(prn (check-password "Abcdefg1"))
(println (infix 1 + 2 * 3 - 4))
(println (macroexpand-1 '(unless a b)))
