(doseq [y [1 5 10 20 30]]
  (println y (Math/pow 1.05 y) (format "%.2f" (* 1000 (Math/pow 1.05 y)))
           (* 1000 (Math/pow (+ 1 (/ 0.05 12)) (* 12 y))) (Math/exp (* 0.05 y)) (Math/log (inc y))))
(defn pmt [p r n] (let [m (/ r 12.0)] (/ (* p m) (- 1 (Math/pow (+ 1 m) (- n))))))
(println (pmt 200000 0.045 360) (format "%.2f" (pmt 200000 0.045 360)) (Math/sqrt 2) (Math/cbrt 10)
         (/ (reduce + [1.1 2.2 3.3]) 3) (* 1.1 1.1) (- 0.3 0.1) (/ 1 3.0) (Math/round 1234.5678)
         (/ (Math/round (* 100 3.14159)) 100.0) (Math/log10 2) (Math/sin 1) (Math/tan 0.5))
(println
 (let
  [xs [2 4 4 4 5 5 7 9] m (/ (reduce + xs) (count xs)) v
   (/ (reduce + (map #(Math/pow (- % m) 2) xs)) (count xs))]
   [m v (Math/sqrt v)]))
