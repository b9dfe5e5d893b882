(require '[clojure.set :as set] '[clojure.string :as str])
(defprotocol Task
  (run-task [this env])
  (describe [this]))

(defrecord Compute [id needs f cost]
  Task
  (run-task [_ env] (apply f (map env needs)))
  (describe [_] (str (name id) "(" (str/join "," (map name needs)) ")")))

(defrecord Constant [id value]
  Task
  (run-task [_ _] value)
  (describe [_] (str (name id) "=" value)))

(defmacro deftasks [sym & specs]
  `(def ~sym
     (into (array-map)
           (for [t# ~(mapv (fn [[id needs & {:keys [does cost value] :or {cost 1}}]]
                             (if (some? value)
                               `(->Constant ~id ~value)
                               `(->Compute ~id ~needs ~does ~cost)))
                           specs)]
             [(:id t#) t#]))))

(deftasks tasks
  [:base [] :value 10]
  [:rate [] :value 3/4]
  [:gross [:base :rate] :does * :cost 3]
  [:tax [:gross] :does (fn [g] (/ g 5)) :cost 2]
  [:net [:gross :tax] :does - :cost 1]
  [:label [:net] :does #(format "net %.2f" (double %))]
  [:audit [:gross :net :label] :does vector :cost 5])

(defn needs [t] (or (:needs t) []))

(defn levels [tasks]
  (loop [done #{} left (set (keys tasks)) out []]
    (if (empty? left)
      out
      (let [ready (into (sorted-set) (filter #(set/subset? (set (needs (tasks %))) done)) left)]
        (when (empty? ready)
          (throw (ex-info "cycle" {:among (sort left)})))
        (recur (into done ready) (reduce disj left ready) (conj out (vec ready)))))))

(defn critical-path [tasks]
  (let [longest (fn [longest id]
                  (let [t (tasks id)
                        before (map #(longest longest %) (needs t))
                        best (when (seq before) (apply max-key :cost before))]
                    {:cost (+ (:cost best 0) (:cost t 0)) :path (conj (:path best []) id)}))
        memo (let [cache (atom {})]
               (fn self [_ id] (or (@cache id)
                                   (let [r (longest self id)] (swap! cache assoc id r) r))))]
    (apply max-key :cost (map #(memo memo %) (keys tasks)))))

(defn execute [tasks]
  (reduce (fn [env level]
            (into env (pmap (fn [id] [id (run-task (tasks id) env)]) level)))
          {} (levels tasks)))

(println (map describe (vals tasks)))
(doseq [[i l] (map-indexed vector (levels tasks))] (println "level" i l))
(println (critical-path tasks))
(def env (execute tasks))
(doseq [k (sort (keys env))] (println k (pr-str (env k))))
(println (try (levels (assoc tasks :base (->Compute :base [:audit] identity 1)))
              (catch Exception e [(ex-message e) (ex-data e)])))
(println (try (execute (assoc-in tasks [:rate :value] nil)) (catch Exception e :failed)))
(defn dependants [tasks id]
  (set (for [[k t] tasks :when (some #{id} (needs t))] k)))
(defn affected [tasks id]
  (loop [seen #{} todo [id]]
    (if-let [[x & more] (seq todo)]
      (let [ds (set/difference (dependants tasks x) seen)]
        (recur (into seen ds) (into (vec more) (sort ds))))
      seen)))
(println (into (sorted-map) (map (juxt identity #(count (affected tasks %)))) (keys tasks)))
(println (= (->Constant :a 1) (->Constant :a 1)) (= (->Constant :a 1) {:id :a :value 1}) (instance? Constant (:base tasks)) (satisfies? Task 5))
(macroexpand-1 '(deftasks x [:a [] :value 1]))
(select-keys env [:gross :tax :net :label])
