; Permutations by for and disj.
(defn permutations [s]
  (if (empty? s)
    (list ())
    (for [x s, p (permutations (disj s x))] (cons x p))))
(defn kernel [] (count (permutations #{1 2 3 4 5 6 7})))
