(ns my.calc (:require [clojure.string :as str]))
(defn parse-num {:test (fn [] (assert (= 1 (parse-num "1"))))} [s] (parse-long (str/trim s)))
(defn total [xs] (reduce + 0 xs))
(ns my.calc-test
  (:require [clojure.test :as t :refer [deftest is testing are use-fixtures run-tests]]
            [my.calc :as c]))
(def ^:dynamic *db* nil)
(def calls (atom 0))
(use-fixtures :each (fn [f] (swap! calls inc) (binding [*db* {:n 1}] (f))))
(deftest parses (are [s n] (= n (c/parse-num s)) "1" 1 " 2 " 2 "x" nil))
(deftest totals
  (testing "empty" (is (zero? (c/total []))))
  (testing "some" (is (= 6 (c/total [1 2 3])))))
(deftest uses-db (is (= {:n 1} *db*)))
(defn helper {:test #(is (= 2 (count [1 2])))} [] nil)
(let [r (binding [t/*test-out* (java.io.StringWriter.)] (run-tests 'my.calc-test 'my.calc))]
  (println (select-keys r [:test :pass :fail :error]) (t/successful? r) @calls))
(println (t/test-var #'helper) (test #'c/parse-num) (keys (ns-publics 'my.calc)))
(println (select-keys (binding [t/*test-out* (java.io.StringWriter.)] (t/run-all-tests #"my\..*-test")) [:test :pass]))
