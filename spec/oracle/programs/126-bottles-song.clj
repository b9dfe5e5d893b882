(defn bottles [n] (str (case n 0 "no more bottles" 1 "1 bottle" (str n " bottles")) " of beer"))
(defn verse [n]
  (if (zero? n)
    (str "No more bottles of beer on the wall, no more bottles of beer.\nGo to the store and buy some more, " (bottles 99) " on the wall.")
    (str (bottles n) " on the wall, " (bottles n) ".\nTake " (if (= n 1) "it" "one") " down and pass it around, " (bottles (dec n)) " on the wall.")))
(run! println (map verse (range 2 -1 -1)))
(count (apply str (map verse (range 100))))
