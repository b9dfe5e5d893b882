(defn f [x]
  (case x 1 :one (2 3) :few "s" :str :k :kw nil :nil sym :sym [1 2] :vec {:a 1} :map #{1} :set \c
        :char 1.5 :dbl true :t (a b) :ab :default))
(println (map f [1 2 3 "s" :k nil 'sym [1 2] '(1 2) {:a 1} #{1} \c 1.5 true 'a 'b false 99 1N 1.0]))
(println (condp some [1 2 3] #{5} :five #{2} :>> (fn [x] [:found x]) :none)
         (condp = 1 2 :two :else) (try (condp = 1 2 3) (catch IllegalArgumentException e (.getMessage e)))
         (condp re-matches "a1" #"\d" :d #"(\w)(\d)" :>> second))
(println (cond-> {} true (assoc :a 1) false (assoc :b 2) (= 1 1) (update :a inc))
         (cond->> [1 2 3] true (map inc) nil (filter odd?)) (some-> {:a {:b 1}} :a :b inc)
         (some-> {:a nil} :a :b inc) (some->> [1 2] (map inc) seq first) (as-> 1 x (+ x 1) (* x x))
         (-> 5 (- 1) str) (->> 5 (- 1) str))
(println (if-let [[a b] nil] :y :n) (when-let [x (seq [])] x) (if-some [x false] [:some x] :none)
         (when-some [x nil] 1) (when-first [x [1 2]] x) (if-not nil 1 2) (and) (or) (and 1 (first []) 2)
         (or nil false) (or nil false 3) (cond) (cond (first []) 1 :else 2) (when-not (first []) 1 2))
(println
 (loop [i 0 acc []]
   (cond (= i 5) acc (even? i) (recur (inc i) (conj acc i)) :else (recur (inc i) acc)))
 (for [x (range 6) :when (odd? x) :let [y (* x x)] :while (< y 20)] y)
 (for [x [1 2] y [x (* 10 x)] :when (not= x y)] [x y])
 (letfn [(ev? [n] (if (zero? n) true (od? (dec n)))) (od? [n] (if (zero? n) false (ev? (dec n))))]
   (ev? 101))
 (trampoline (fn g [n] (if (zero? n) :done #(g (dec n)))) 5000))
(println (dotimes [i 3] (print i)) (while false)
         (doseq [x [1 2] :let [y (* 2 x)] z [:a] :when (= y 4)] (print x y z)) (let [x 1 x (inc x)] x) (do)
         ((fn [x & r] [x r]) 1) ((fn ([] 0) ([x] x) ([x & more] more)) 1 2 3) (#(apply + %&) 1 2 3)
         (#(str %2 %1) 1 2) (apply max 1 2 [3 4]))
