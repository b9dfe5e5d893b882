(require '[clojure.string :as str])
(defn parse-age [s]
  (try (let [n (Integer/parseInt s)] (if (neg? n) (throw (ex-info "negative age" {:value n})) n))
       (catch NumberFormatException e (throw (ex-info "not a number" {:input s} e)))))
(doseq [s ["42" "-1" "abc"]]
  (try (println "ok" (parse-age s))
       (catch clojure.lang.ExceptionInfo e
         (println "fail" (ex-message e) (ex-data e) (some-> e ex-cause class .getSimpleName)
                  (some-> e .getCause .getMessage)))
       (finally (println "done" s))))
(println (try (throw (ex-info "a" {:k 1})) (catch Exception e (:k (ex-data e)))))
(println
 (try (let [r (try (/ 1 0) (catch ArithmeticException e :div))] [r (throw (Exception. "after"))])
      (catch Exception e (.getMessage e))))
(println (try (doall (map #(/ 10 %) [1 0])) (catch ArithmeticException e "lazy boom")))
(defn safe [f & args]
  (try [:ok (apply f args)] (catch Throwable t [:err (.getSimpleName (class t))])))
(println (safe / 1 0) (safe nth [] 1) (safe inc nil) (safe + 1 "a") (safe first 1)
         (safe (fn [x] x)) (safe #(throw (Error. "e"))) (safe subs "abc" 9) (safe keyword "k")
         (safe assoc [1] 5 1) (safe (fn [] (assert false))) (safe read-string "{:a") (safe #(case 1 2 3))
         (safe deref nil) (safe conj 1 2) (safe seq 5) (safe long "x") (safe char -1) (safe int 3000000000)
         (safe vec 5) (safe pop []) (safe peek 5) (safe compare 1 :a) (safe sort [1 :a]) (safe name 5)
         (safe symbol nil) (safe count 5) (safe hash-map 1) (safe zipmap 1 2) (safe get-in {} 5)
         (safe reduce + [1 nil]) (safe apply + 5) (safe map) (safe max) (safe parse-long nil)
         (safe parse-long 5) (safe str/join 1))
