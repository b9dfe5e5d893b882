; Eight queens by a recursive for.
(defn safe? [qs c]
  (loop [[q & more] (seq qs), d 1]
    (cond (nil? q) true
          (or (= q c) (= q (+ c d)) (= q (- c d))) false
          :else (recur more (inc d)))))
(defn queens [n k]
  (if (zero? k)
    (list ())
    (for [qs (queens n (dec k)), c (range n) :when (safe? qs c)] (cons c qs))))
(defn kernel [] (count (queens 8 8)))
