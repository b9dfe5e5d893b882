(defn matching [prog]
  (loop [i 0 stack [] m {}]
    (if (= i (count prog))
      m
      (case (nth prog i)
        \[ (recur (inc i) (conj stack i) m)
        \] (recur (inc i) (pop stack) (assoc m i (peek stack) (peek stack) i))
        (recur (inc i) stack m)))))
(defn run [prog]
  (let [jumps (matching prog)]
    (loop [ip 0 ptr 0 tape {} out []]
      (if (>= ip (count prog))
        (apply str out)
        (let [cell (get tape ptr 0)]
          (case (nth prog ip)
            \> (recur (inc ip) (inc ptr) tape out)
            \< (recur (inc ip) (dec ptr) tape out)
            \+ (recur (inc ip) ptr (assoc tape ptr (mod (inc cell) 256)) out)
            \- (recur (inc ip) ptr (assoc tape ptr (mod (dec cell) 256)) out)
            \. (recur (inc ip) ptr tape (conj out (char cell)))
            \[ (recur (if (zero? cell) (inc (jumps ip)) (inc ip)) ptr tape out)
            \] (recur (if (zero? cell) (inc ip) (inc (jumps ip))) ptr tape out)
            (recur (inc ip) ptr tape out)))))))
(println (run "++++++++[>++++++++<-]>+."))
(println (run "++++++++++[>+++++++>++++++++++>+++>+<<<<-]>++.>+.+++++++..+++.>++."))
(matching "[[]]")
