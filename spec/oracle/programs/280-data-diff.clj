(require '[clojure.data :refer [diff]])
(prn (diff {:a 1 :b {:c 2 :d 3}} {:a 1 :b {:c 9 :e 4}}) (diff [1 2 3] [1 5]) (diff #{1 2} #{2 3})
     (diff 1 1) (diff 1 2) (diff nil {:a 1}) (diff {:a nil} {}) (diff '(1 2) [1 2]) (diff "a" "b")
     (diff {:x [1 2 {:y 1}]} {:x [1 3 {:y 2}]}))
