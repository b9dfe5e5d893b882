(def a (int-array [3 1 2]))
(println (alength a) (aget a 0) (vec a) (seq a) (reduce + a) (count a) (first a) (apply max a))
(aset a 0 10) (println (vec a) (areduce a i acc 0 (+ acc (aget a i))))
