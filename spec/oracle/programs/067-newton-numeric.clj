(defn newton [f df x0] (iterate #(- % (/ (f %) (df %))) x0))
(defn converge [xs eps] (first (keep (fn [[a b]] (when (< (Math/abs (- a b)) eps) b)) (partition 2 1 xs))))
(def sqrt2 (converge (newton #(- (* % %) 2) #(* 2 %) 1.0) 1e-12))
(println (format "%.10f" sqrt2))
(println (take 4 (newton #(- (* % %) 2) #(* 2 %) 1)))
(defn integrate [f a b n]
  (let [h (/ (- b a) n)]
    (* h (reduce + (map #(f (+ a (* h (+ % 1/2)))) (range n))))))
(println (integrate #(* % %) 0 3 10))
(println (format "%.4f" (integrate #(Math/sin %) 0.0 Math/PI 1000)))
(defn derivative [f] (fn [x] (/ (- (f (+ x 1e-6)) (f (- x 1e-6))) 2e-6)))
(format "%.3f" ((derivative #(* % % %)) 2.0))
