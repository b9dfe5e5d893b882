(def font {\H ["# #" "###" "# #"] \I ["###" " # " "###"] \L ["#  " "#  " "###"] \O ["###" "# #" "###"]})
(defn banner [s] (apply map (fn [& rows] (clojure.string/join "  " rows)) (map font s)))
(run! println (banner "HILO"))
(defn box [lines]
  (let [w (apply max (map count lines)) edge (str "+" (apply str (repeat (+ 2 w) "-")) "+")]
    (concat [edge] (map #(format (str "| %-" w "s |") %) lines) [edge])))
(run! println (box ["Hello" "a longer line" ""]))
(defn center [w s] (let [p (- w (count s)) l (quot p 2)] (str (apply str (repeat l " ")) s (apply str (repeat (- p l) " ")))))
(prn (center 9 "abc") (center 4 "abc"))
