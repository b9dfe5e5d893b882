; Euler's problem 9: the first triple that a for finds.
(defn kernel []
  (first (for [a (range 1 500), b (range a 500)
               :let [c (- 1000 a b)]
               :when (= (* c c) (+ (* a a) (* b b)))]
           (* a b c))))
