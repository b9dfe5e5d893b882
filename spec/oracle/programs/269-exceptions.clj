(defn risky [x]
  (cond (neg? x) (throw (IllegalArgumentException. "neg")) (zero? x)
        (throw (ex-info "zero" {:x x :code 7})) (= x 1) (/ 1 0) (= x 2) (nth [1] 5) (= x 3)
        (throw (ex-info "outer" {:l 1} (RuntimeException. "inner"))) (= x 4) (Integer/parseInt "abc")
        (= x 5) (.foo nil) (= x 6) (assert (= 1 2) "math") (= x 7) (first 5) (= x 8) (+ 1 "a") (= x 9)
        ({:a 1} 1 2 3) (= x 10) (throw (Error. "err")) :else x))
(doseq [i (range -1 12)]
  (println i
           (try (risky i)
                (catch clojure.lang.ExceptionInfo e
                  [(ex-message e) (ex-data e) (some-> (ex-cause e) ex-message)])
                (catch ArithmeticException e (str "arith " (.getMessage e)))
                (catch IndexOutOfBoundsException e "ioob")
                (catch NumberFormatException e (str "nfe " (.getMessage e)))
                (catch IllegalArgumentException e (str "iae " (.getMessage e)))
                (catch NullPointerException e "npe") (catch ClassCastException e "cce")
                (catch AssertionError e (.getMessage e))
                (catch Throwable t (str "other " (class t) (.getMessage t))) (finally (print "f ")))))
(prn (try (try (throw (ex-info "a" {})) (finally (println "cleanup"))) (catch Exception e :caught)))
(prn (try 1 (finally 2)) (try (throw (Exception. "x")) (catch Exception _ 3)))
(defn nested []
  (try (try (throw (ex-info "in" {:a 1})) (catch Exception e (throw (ex-info "out" {:b 2} e))))
       (catch Exception e
         (loop [e e acc []] (if e (recur (ex-cause e) (conj acc [(ex-message e) (ex-data e)])) acc)))))
(prn (nested))
