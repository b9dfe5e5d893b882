(declare parse-value)

(defn skip-ws [s] (drop-while #(Character/isWhitespace %) s))

(defn parse-string [s]
  (loop [[c & more] s acc []]
    (case c
      \" [(apply str acc) more]
      \\ (recur (rest more) (conj acc (case (first more) \n \newline \t \tab (first more))))
      nil (throw (ex-info "Unterminated string" {}))
      (recur more (conj acc c)))))

(defn parse-number [s]
  (let [[ds more] (split-with (set "0123456789+-.eE") s)
        t (apply str ds)]
    [(or (parse-long t) (parse-double t)) more]))

(defn parse-array [s]
  (loop [s (skip-ws s) acc []]
    (if (= \] (first s))
      [acc (rest s)]
      (let [[v more] (parse-value s)
            more (skip-ws more)]
        (recur (skip-ws (if (= \, (first more)) (rest more) more)) (conj acc v))))))

(defn parse-object [s]
  (loop [s (skip-ws s) acc {}]
    (if (= \} (first s))
      [acc (rest s)]
      (let [[k more] (parse-string (rest s))
            [v more] (parse-value (rest (skip-ws more)))
            more (skip-ws more)]
        (recur (skip-ws (if (= \, (first more)) (rest more) more)) (assoc acc (keyword k) v))))))

(defn parse-value [s]
  (let [s (skip-ws s) c (first s)]
    (cond
      (= c \") (parse-string (rest s))
      (= c \[) (parse-array (rest s))
      (= c \{) (parse-object (rest s))
      (= c \t) [true (drop 4 s)]
      (= c \f) [false (drop 5 s)]
      (= c \n) [nil (drop 4 s)]
      (or (= c \-) (Character/isDigit c)) (parse-number s)
      :else (throw (ex-info (str "Unexpected character: " c) {:char c})))))

(defn parse-json [s] (first (parse-value s)))

(prn (parse-json "{\"a\": 1, \"b\": [true, false, null], \"c\": {\"d\": \"x\\ny\"}}"))
(prn (parse-json "[1, 2.5, -3, 1e3]"))
(prn (parse-json " \"hi \\\"there\\\"\" "))
(try (parse-json "[?]") (catch Exception e (println (ex-message e))))
(parse-json "[[], {}, [{}]]")
