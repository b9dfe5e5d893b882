(def numerals
  [[1000 "M"] [900 "CM"] [500 "D"] [400 "CD"] [100 "C"] [90 "XC"]
   [50 "L"] [40 "XL"] [10 "X"] [9 "IX"] [5 "V"] [4 "IV"] [1 "I"]])

(defn to-roman [n]
  (loop [n n [[v s] & more :as all] numerals out ""]
    (cond (zero? n) out
          (>= n v) (recur (- n v) all (str out s))
          :else (recur n more out))))

(def values {\I 1 \V 5 \X 10 \L 50 \C 100 \D 500 \M 1000})

(defn from-roman [s]
  (->> (map values s)
       (partition-all 2 1)
       (map (fn [[a b]] (if (and b (< a b)) (- a) a)))
       (reduce +)))

(doseq [n [1 4 9 14 40 90 400 1994 2024 3999]]
  (println n (to-roman n) (from-roman (to-roman n))))
(every? #(= % (from-roman (to-roman %))) (range 1 1000))
