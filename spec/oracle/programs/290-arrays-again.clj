(def a (int-array 5))
(aset a 0 10)
(aset-int a 1 20)
(prn (alength a) (aget a 0) (vec a) (seq a) (areduce a i acc 0 (+ acc (aget a i))))
