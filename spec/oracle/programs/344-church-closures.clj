(defn counter []
  (let [n (atom 0)]
    {:inc #(swap! n inc) :dec (fn [] (swap! n dec)) :get (fn [] @n) :reset (partial reset! n)}))
(let [{:keys [inc dec get reset]} (counter)] (inc) (inc) (dec) (println (get)) (reset 10)
     (println (get)))
(def y (fn [f] ((fn [x] (x x)) (fn [x] (f (fn [& a] (apply (x x) a)))))))
(println ((y (fn [self] (fn [n] (if (< n 2) 1 (* n (self (dec n))))))) 10))
(defn curry [f n]
  (letfn [(go [args] (fn [x] (let [a (conj args x)] (if (= n (count a)) (apply f a) (go a)))))]
    (go [])))
(println ((((curry + 3) 1) 2) 3))
(println ((fn fact [n] (if (zero? n) 1N (*' n (fact (dec n))))) 25))
(println (loop [n 10 acc 1] (if (zero? n) acc (recur (dec n) (* acc n)))) (reduce * (range 1 11))
         (apply * (range 1 11)) (last (take 11 (reductions * 1 (iterate inc 1)))))
