; Euler's problem 40 and digit sums: numbers as strings.
(defn digits [n] (map #(- (int %) 48) (str n)))
(defn kernel []
  (let [s (apply str (range 1 20000))]
    (+ (apply * (map #(Character/digit (nth s (dec %)) 10) [1 10 100 1000 10000 50000]))
       (reduce + (mapcat digits (range 10000)))
       (count (filter #(= (sort (digits %)) (sort (digits (* 2 %)))) (range 1 3000))))))
