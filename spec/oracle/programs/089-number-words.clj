(def ones ["zero" "one" "two" "three" "four" "five" "six" "seven" "eight" "nine" "ten" "eleven" "twelve" "thirteen" "fourteen" "fifteen" "sixteen" "seventeen" "eighteen" "nineteen"])
(def tens [nil nil "twenty" "thirty" "forty" "fifty" "sixty" "seventy" "eighty" "ninety"])
(defn words [n]
  (cond
    (neg? n) (str "minus " (words (- n)))
    (< n 20) (ones n)
    (< n 100) (str (tens (quot n 10)) (when (pos? (rem n 10)) (str "-" (ones (rem n 10)))))
    (< n 1000) (str (ones (quot n 100)) " hundred" (when (pos? (rem n 100)) (str " and " (words (rem n 100)))))
    :else (let [[d nm] (first (filter #(>= n (first %)) [[1000000000 "billion"] [1000000 "million"] [1000 "thousand"]]))]
            (str (words (quot n d)) " " nm (when (pos? (rem n d)) (str " " (words (rem n d))))))))
(doseq [n [0 7 13 42 100 115 999 1000 12345 1000000 -17 9876543210]] (println n "=" (words n)))
(reduce + (map #(count (filter (fn [c] (Character/isLetter c)) (words %))) (range 1 101)))
