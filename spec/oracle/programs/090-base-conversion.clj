(def digits "0123456789abcdefghijklmnopqrstuvwxyz")
(defn to-base [n b]
  (if (zero? n) "0"
      (->> (iterate #(quot % b) n) (take-while pos?) (map #(nth digits (rem % b))) reverse (apply str))))
(defn from-base [s b] (reduce (fn [acc c] (+ (* acc b) (.indexOf digits (str c)))) 0 s))
(doseq [[n b] [[255 16] [255 2] [0 7] [12345 36] [8 8]]]
  (println n "base" b "=" (to-base n b) (from-base (to-base n b) b)))
(println (Integer/toBinaryString 10) (Integer/toHexString 255) (Long/toString 35 36) (Integer/parseInt "777" 8))
(println 0xff 017 2r1010 36rZZ)
(every? (fn [n] (= n (from-base (to-base n 7) 7))) (range 500))
