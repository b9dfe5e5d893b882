(println (/ 6 3) (/ 1 3) (/ 1.0 3) (+ 1/2 1/3) (* 2/3 3/2) (- 1/2) (quot 7 2) (rem -7 2) (mod -7 2) (quot -7 2))
(println (+ 1 2.0) (* 2N 3) (+ 1N 1.5M) (class (+ 1 1N)) (class (* 1.0 1M)) (class 1/2) (class (/ 4 2)) (class 1e3))
