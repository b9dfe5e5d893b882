(require '[clojure.string :as str])
(defn parse-query [q]
  (if (str/blank? q) {}
      (reduce (fn [m pair] (let [[k v] (str/split pair #"=" 2)] (update m (keyword k) (fnil conj []) (or v ""))))
              {} (str/split q #"&"))))
(defn parse-url [u]
  (when-let [[_ scheme host port path query frag] (re-matches #"(\w+)://([^:/?#]+)(?::(\d+))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?" u)]
    (cond-> {:scheme scheme :host host :path (if (= "" path) "/" path)}
      port (assoc :port (parse-long port))
      query (assoc :query (parse-query query))
      frag (assoc :fragment frag))))
(run! prn (map parse-url ["http://example.com" "https://a.b:8443/x/y?q=1&q=2&z=#top" "nonsense"]))
(defn build-query [m] (str/join "&" (for [[k vs] (sort-by key m) v (if (coll? vs) vs [vs])] (str (name k) "=" v))))
(build-query {:b [1 2] :a "x"})
