(defn lex [s]
  (loop [[c & more :as cs] (seq s) state :start buf "" out []]
    (let [emit #(if (= state :start) out (conj out [state buf]))]
      (cond
        (nil? c) (emit)
        (= state :string) (if (= c \") (recur more :start "" (conj out [:string buf])) (recur more :string (str buf c) out))
        (Character/isWhitespace c) (recur more :start "" (emit))
        (= c \") (recur more :string "" (emit))
        (#{\( \) \[ \] \=} c) (recur more :start "" (conj (emit) [:punct (str c)]))
        (and (Character/isDigit c) (not= state :ident)) (recur more :number (str buf c) out)
        :else (recur more :ident (str (if (= state :number) "" buf) c) (if (= state :number) (emit) out))))))
(run! prn (lex "let x1 = (foo 42 \"hi there\")"))
(println (frequencies (map first (lex "a = [1 2 b] \"s\""))))
(lex "12ab")
