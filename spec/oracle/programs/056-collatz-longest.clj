(defn collatz [n] (take-while #(not= 1 %) (iterate #(if (even? %) (quot % 2) (inc (* 3 %))) n)))
(println (concat (collatz 13) [1]))
(println (apply max-key count (map collatz (range 1 30))))
(def cache (atom {1 1}))
(defn length [n]
  (or (@cache n)
      (let [l (inc (length (if (even? n) (quot n 2) (inc (* 3 n)))))]
        (swap! cache assoc n l)
        l)))
(let [best (apply max-key length (range 1 1000))]
  (println best (length best)))
(apply max (map first (filter #(< (key %) 30) @cache)))
