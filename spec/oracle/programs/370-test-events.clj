(ns my.t (:require [clojure.test :as t :refer [deftest is testing are run-tests]]))
(def events (atom []))
(deftest a (testing "outer" (testing "inner" (is (= 1 1)) (swap! events conj [:ctx t/*testing-contexts* (count t/*testing-vars*) (t/testing-contexts-str)]))))
(deftest b (is (= 1 2) "msg"))
(deftest c (throw (ex-info "x" {})))
(let [orig t/report]
  (binding [t/report (fn [m] (swap! events conj [(:type m) (some-> (:var m) meta :name) (some-> (:ns m) str) (boolean (:line m)) (contains? m :place)]))]
    (prn (run-tests 'my.t))))
(run! prn @events)
(prn (binding [t/*report-counters* (ref t/*initial-report-counters*)] (with-out-str (t/test-vars [#'a])) @t/*report-counters*))
(defmethod t/report :begin-test-var [m] (println "BEGIN" (:var m)))
(defmethod t/report :default [m] (println "DEF" (:type m)))
(println (with-out-str (t/do-report {:type :zzz}) (t/test-vars [#'a])))
