(defn fizzbuzz [n]
  (cond
    (zero? (mod n 15)) "FizzBuzz"
    (zero? (mod n 3)) "Fizz"
    (zero? (mod n 5)) "Buzz"
    :else (str n)))

(doseq [i (range 1 31)]
  (println (fizzbuzz i)))

(println (frequencies (map fizzbuzz (range 1 101))))
