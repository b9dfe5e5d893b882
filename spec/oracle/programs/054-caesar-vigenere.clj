(defn shift-char [n c]
  (cond
    (Character/isUpperCase c) (char (+ 65 (mod (+ n (- (int c) 65)) 26)))
    (Character/isLowerCase c) (char (+ 97 (mod (+ n (- (int c) 97)) 26)))
    :else c))
(defn caesar [n s] (apply str (map #(shift-char n %) s)))
(println (caesar 3 "Hello, World!"))
(println (caesar -3 (caesar 3 "Hello, World!")))
(defn vigenere [f key s]
  (apply str (map (fn [c k] (shift-char (f (- (int k) 97)) c)) s (cycle key))))
(def secret (vigenere identity "lemon" "attackatdawn"))
(println secret (vigenere - "lemon" secret))
(def rot13 (partial caesar 13))
(println (rot13 "Why did the chicken") "|" (rot13 (rot13 "same")))
(defn crack [s] (apply max-key (fn [n] (count (filter #{\e \t \a \o} (caesar n s)))) (range 26)))
(crack (caesar 7 "the quick brown fox eats a tomato at the theatre"))
