(require '[clojure.test :refer [deftest is are testing run-tests]])
(defn add [a b] (+ a b))
(deftest addition
  (testing "basic" (is (= 4 (add 2 2))) (is (= 0 (add -1 1))))
  (are [x y z] (= z (add x y)) 1 2 3 5 5 10))
(deftest errors
  (is (thrown? ClassCastException (add 1 "a")))
  (is (thrown-with-msg? ArithmeticException #"Divide" (/ 1 0))))
(addition)
(errors)
(println "done")
