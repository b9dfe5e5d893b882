(def ^:dynamic *indent* 0)
(def ^:dynamic *out-lines* nil)
(defn emit [& xs]
  (let [line (str (apply str (repeat *indent* "  ")) (apply str xs))]
    (if *out-lines* (swap! *out-lines* conj line) (println line))))
(defmacro indented [& body] `(binding [*indent* (inc *indent*)] ~@body))
(defn show [x]
  (cond (map? x) (doseq [[k v] x] (emit k ":") (indented (show v)))
        (sequential? x) (doseq [y x] (emit "-") (indented (show y)))
        :else (emit x)))
(show {:a 1 :b {:c [1 2 {:d "x"}]}})
(println *indent*)
(let [captured (atom [])]
  (binding [*out-lines* captured *indent* 1] (show [1 [2]]))
  (prn @captured))
(defn risky [] (if (pos? *indent*) (throw (ex-info "indented!" {:indent *indent*})) :ok))
(println (risky) (try (indented (risky)) (catch Exception e (ex-data e))) *indent*)
