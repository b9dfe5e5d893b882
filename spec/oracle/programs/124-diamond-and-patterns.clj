(defn diamond [ch]
  (let [n (- (int ch) (int \A))
        row (fn [i] (let [c (char (+ i (int \A))) pad (apply str (repeat (- n i) " "))]
                      (str pad c (when (pos? i) (str (apply str (repeat (dec (* 2 i)) " ")) c)))))]
    (map row (concat (range n) (range n -1 -1)))))
(run! println (diamond \D))
(doseq [i (range 1 6)] (println (apply str (repeat i "*"))))
(doseq [i (range 5 0 -1)] (println (clojure.string/join " " (range 1 (inc i)))))
(dotimes [i 4] (dotimes [j 8] (print (if (even? (+ i j)) "#" "."))) (println))
(let [n 4] (doseq [i (range 1 (inc n))] (println (str (apply str (repeat (- n i) " ")) (apply str (interpose " " (repeat i "o")))))))
