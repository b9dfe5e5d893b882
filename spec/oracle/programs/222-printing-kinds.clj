(prn (lazy-seq [1 2]) (range 3) (repeat 2 :x) (seq {:a 1}) (first {:a 1}) (rseq [1 2]) (cons 1 [2]) (take 2 (iterate inc 1)))
(prn (sorted-map 1 2) (sorted-set 2 1) (array-map :b 1 :a 2) (hash-map) #{} () [] {} "" (str) nil)
(prn #inst "2024-02-29T12:34:56.789Z" #uuid "00000000-0000-0000-0000-000000000001" #"a\"b" 'ns/sym :ns/kw ::local ##Inf ##-Inf ##NaN)
(prn (symbol "with space") (keyword "with space") (symbol "") \" \\ "\\" (char 0) (char 127) (str \a) 'a.b/c 1N 1M 1/2 -0.0)
