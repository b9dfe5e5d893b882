(def ks
  [nil true false 1 -1 0 1.5 -2.5 1/2 3N 4.5M \a \b "a" "hello" :a :b/c 'x 'y/z [1 2] '(3) {:k 1}
   #{1} 100000000000 "é" [] {} ""])
(println (set ks))
(println (zipmap ks (range)))
(println (keys (frequencies (map hash ks))))
(println (map hash ks))
(println (into #{} (map str) (range 50)))
(println (into {} (map (juxt identity -) (range -20 20))))
(println (set (for [x "abcdefgh" y [1 2]] (str x y))))
(println (set (map keyword (map str "qwertyuiop"))))
(println (set (map symbol (map str "qwertyuiop"))))
(println (set (map double (range 0 10 0.7))))
(println (set (map #(/ % 7) (range 20))))
