(require 'clojure.main)
(println (clojure.main/ex-str {:clojure.error/phase :execution :clojure.error/class 'java.lang.ArithmeticException :clojure.error/cause "c" :clojure.error/line 1 :clojure.error/source "f"}))
(doseq [phase [:read-source :macro-syntax-check :compile-syntax-check :compilation :macroexpansion :print-eval-result :read-eval-result :execution]
        class ['RuntimeException 'java.lang.IllegalStateException]]
  (print (clojure.main/ex-str {:clojure.error/phase phase :clojure.error/symbol 'foo/bar :clojure.error/class class :clojure.error/cause "c" :clojure.error/line 1 :clojure.error/column 3 :clojure.error/path "a/f.clj" :clojure.error/source "f.clj"})))
(print (clojure.main/ex-str {:clojure.error/phase :execution :clojure.error/class 'X}))
(def tr {:via [{:type 'a.B :message "m" :data {:clojure.error/source "x/y.clj" :clojure.error/line 3 :clojure.error/phase :compile-syntax-check}} {:type 'c.D :message "inner"}] :trace [] :cause "inner"})
(doseq [phase [:compile-syntax-check :macroexpansion :read-source :print-eval-result]]
  (println (into (sorted-map) (clojure.main/ex-triage (assoc tr :phase phase)))))
(println (into (sorted-map) (clojure.main/ex-triage {:via [{:type 'a.B :message "m"}] :trace []})))
(println (sort (keys (Throwable->map (ex-info "a" {:b 1})))) (sort (keys (Throwable->map (Exception. "a")))))
(println (map #(dissoc % :at) (:via (Throwable->map (ex-info "a" {:b 1} (Exception. "b"))))))
