(require '[clojure.string :as str])
(def sheet {:A1 "10" :A2 "32" :A3 "=A1+A2" :B1 "=A3*2" :B2 "=B1-A1" :C1 "=C2+1" :C2 "=C1+1" :D1 "=Z9+1" :D2 "text"})
(defn evaluate
  ([cell] (evaluate cell #{}))
  ([cell seen]
   (when (seen cell) (throw (ex-info "circular reference" {:cell cell})))
   (let [raw (sheet cell)]
     (cond
       (nil? raw) (throw (ex-info "empty cell" {:cell cell}))
       (str/starts-with? raw "=")
       (let [[_ a op b] (re-matches #"=(\w+)([-+*/])(\w+)" raw)
             value #(or (parse-long %) (evaluate (keyword %) (conj seen cell)))]
         (({"+" + "-" - "*" * "/" /} op) (value a) (value b)))
       :else (or (parse-long raw) raw)))))
(doseq [c (sort (keys sheet))]
  (println c (sheet c) "=>" (try (evaluate c) (catch clojure.lang.ExceptionInfo e (str "#ERR " (ex-message e) " " (:cell (ex-data e)))))))
