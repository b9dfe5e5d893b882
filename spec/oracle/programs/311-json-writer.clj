(defn esc [s] (clojure.string/escape s {\" "\\\"" \\ "\\\\" \newline "\\n"}))
(defn js [x]
  (cond (nil? x) "null" (string? x) (str \" (esc x) \") (keyword? x) (js (name x)) (map? x)
        (str "{" (clojure.string/join "," (map (fn [[k v]] (str (js k) ":" (js v))) x)) "}") (coll? x)
        (str "[" (clojure.string/join "," (map js x)) "]") (ratio? x) (js (double x)) :else (str x)))
(println (js {:a [1 2.5 nil true "q\"\n"] :b {:c '(1/4 :k)} "d" #{}}))
