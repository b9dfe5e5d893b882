; Libraries add methods to clojure.test/report if it is a multimethod.
(require '[clojure.test :as ct])
(println (instance? clojure.lang.MultiFn ct/report) (instance? clojure.lang.MultiFn print-method) (class print-method))
(defmethod ct/report ::mine [m] (println "mine" (:x m)))
(ct/report {:type ::mine :x 1})
(ns zz)
(defn f [] (str *ns*))
(println (pmap (fn [_] (f)) [1 2]) @(future (f)) (binding [*ns* (create-ns 'k)] (doall (pmap (fn [_] (f)) [1 2]))))
