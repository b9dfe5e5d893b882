(defn mask [word guessed] (apply str (interpose " " (map #(if (guessed %) % \_) word))))
(defn play [word guesses]
  (loop [[g & more] guesses guessed #{} lives 3]
    (println (mask word guessed) "lives:" lives)
    (cond
      (every? guessed word) :won
      (zero? lives) :lost
      (nil? g) :unfinished
      (guessed g) (recur more guessed lives)
      (some #{g} word) (recur more (conj guessed g) lives)
      :else (recur more (conj guessed g) (dec lives)))))
(println (play "lisp" "sxlpi"))
(println (play "go" "xyz"))
(play "ab" "a")
