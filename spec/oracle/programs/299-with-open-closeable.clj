(defn res [n log]
  (reify java.io.Closeable (close [_] (swap! log conj [:closed n])) Object
    (toString [_] (str "res" n))))
(def log (atom []))
(println (with-open [a (res 1 log) b (res 2 log)] (swap! log conj :body) (str a b)))
(println @log)
(println
 (try (with-open [a (res 3 log)] (throw (ex-info "x" {}))) (catch Exception e (.getMessage e))))
(println (last @log))
(deftype R [n] java.lang.AutoCloseable (close [this] (println "close" n)))
(with-open [r (R. 9)] (println "use" (.n r)))
