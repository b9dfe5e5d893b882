(defn add [p q] (let [n (max (count p) (count q)) pad #(concat % (repeat (- n (count %)) 0))] (mapv + (pad p) (pad q))))
(defn mul [p q] (reduce add [0] (map-indexed (fn [i a] (into (vec (repeat i 0)) (map #(* a %) q))) p)))
(defn evaluate [p x] (reduce (fn [acc c] (+ c (* acc x))) 0 (reverse p)))
(defn deriv [p] (vec (map-indexed (fn [i c] (* (inc i) c)) (rest p))))
(defn show [p]
  (let [terms (for [[i c] (reverse (map-indexed vector p)) :when (not (zero? c))]
                (str (if (and (= 1 c) (pos? i)) "" c) (case i 0 "" 1 "x" (str "x^" i))))]
    (if (empty? terms) "0" (apply str (interpose " + " terms)))))
(def p [1 2 1]) (def q [-1 1])
(println (show p) "|" (show q) "|" (show (mul p q)) "|" (show (deriv p)))
(println (map #(evaluate p %) (range -2 3)))
(println (show (nth (iterate #(mul % [1 1]) [1]) 5)))
(mul [1/2 1] [2 0 4])
