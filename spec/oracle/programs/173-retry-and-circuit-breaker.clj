(defn flaky [fail-times] (let [n (atom 0)] (fn [] (if (<= (swap! n inc) fail-times) (throw (ex-info "flaky" {:attempt @n})) [:ok @n]))))
(defn retry [max-tries f]
  (loop [i 1]
    (let [[status v] (try [:done (f)] (catch Exception e [:failed e]))]
      (cond (= status :done) v
            (< i max-tries) (do (println "retry" i (ex-data v)) (recur (inc i)))
            :else (throw (ex-info "gave up" {:tries i} v))))))
(println (retry 3 (flaky 2)))
(println (try (retry 2 (flaky 5)) (catch Exception e [(ex-message e) (ex-data e) (ex-message (ex-cause e))])))
(defn breaker [threshold f]
  (let [fails (atom 0)]
    (fn [& args]
      (if (>= @fails threshold) :open
          (try (let [r (apply f args)] (reset! fails 0) r)
               (catch ArithmeticException _ (swap! fails inc) :error))))))
(def safe-div (breaker 2 /))
(map #(apply safe-div %) [[4 2] [1 0] [6 3] [1 0] [1 0] [8 2]])
