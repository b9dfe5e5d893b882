(defn pow-mod [b e m] (loop [b (mod b m) e e acc 1] (if (zero? e) acc (recur (mod (* b b) m) (quot e 2) (if (odd? e) (mod (* acc b) m) acc)))))
(defn egcd [a b] (if (zero? b) [a 1 0] (let [[g x y] (egcd b (mod a b))] [g y (- x (* y (quot a b)))])))
(defn inverse [a m] (let [[g x] (egcd a m)] (when (= 1 g) (mod x m))))
(println (pow-mod 2 100 1000007) (egcd 240 46) (inverse 3 11) (inverse 2 4))
(defn crt [pairs] (let [n (reduce * (map second pairs))] (mod (reduce + (map (fn [[a m]] (let [p (quot n m)] (* a p (inverse p m)))) pairs)) n)))
(println (crt [[2 3] [3 5] [2 7]]))
(let [p 61 q 53 n (* p q) phi (* (dec p) (dec q)) e 17 d (inverse e phi) m 65 c (pow-mod m e n)]
  (println {:n n :d d :cipher c :plain (pow-mod c d n)}))
(map #(mod % 5) [-7 7])
