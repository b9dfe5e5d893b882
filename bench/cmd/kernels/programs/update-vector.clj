; Sieve of Eratosthenes on a vector, with reduce and assoc.
(defn kernel []
  (let [n 20000]
    (count
     (filter true?
             (reduce (fn [sieve i]
                       (if (nth sieve i)
                         (reduce (fn [s j] (assoc s j false)) sieve (range (* i i) (inc n) i))
                         sieve))
                     (vec (repeat (inc n) true))
                     (range 2 142))))))
