(defn step [stack instr]
  (if (number? instr)
    (conj stack instr)
    (case instr
      :dup (conj stack (peek stack))
      :swap (let [b (peek stack) a (peek (pop stack))] (-> stack pop pop (conj b a)))
      :drop (pop stack)
      (let [b (peek stack) a (peek (pop stack))
            f ({:+ + :- - :* * :/ /} instr)]
        (when-not f (throw (ex-info "bad instruction" {:instr instr})))
        (conj (pop (pop stack)) (f a b))))))
(defn run [prog] (reduce step [] prog))
(println (run [2 3 :+ 4 :*]))
(println (run [10 :dup :* 7 :swap :-]))
(doseq [s (reductions step [] [1 2 :+ :dup :*])] (println s))
(try (run [1 :foo]) (catch Exception e (prn (ex-message e) (ex-data e))))
(try (run [1 0 :/]) (catch ArithmeticException e (println (.getMessage e))))
(run [1 2 3 :drop :swap])
