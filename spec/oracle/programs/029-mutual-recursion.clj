(declare my-odd?)
(defn my-even? [n] (if (zero? n) true (my-odd? (dec n))))
(defn my-odd? [n] (if (zero? n) false (my-even? (dec n))))
(println (map my-even? (range 6)))

(letfn [(t-even? [n] (if (zero? n) true #(t-odd? (dec n))))
        (t-odd? [n] (if (zero? n) false #(t-even? (dec n))))]
  (println (trampoline t-even? 100000))
  (println (trampoline t-odd? 99999)))

(declare male)
(defn female [n] (if (zero? n) 1 (- n (male (female (dec n))))))
(defn male [n] (if (zero? n) 0 (- n (female (male (dec n))))))
(println "F:" (map female (range 15)))
(println "M:" (map male (range 15)))
