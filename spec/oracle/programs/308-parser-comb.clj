(defn p-char [pred] (fn [s] (when-let [c (first s)] (when (pred c) [c (rest s)]))))
(defn p-many [p] (fn [s] (loop [acc [] s s] (if-let [[v r] (p s)] (recur (conj acc v) r) [acc s]))))
(defn p-map [f p] (fn [s] (when-let [[v r] (p s)] [(f v) r])))
(defn p-seq [& ps]
  (fn [s] (reduce (fn [[vs s] p] (if-let [[v r] (p s)] [(conj vs v) r] (reduced nil))) [[] s] ps)))
(defn p-or [& ps] (fn [s] (some #(% s) ps)))
(def digit (p-char #(Character/isDigit %)))
(def number
  (p-map #(Long/parseLong (apply str %))
         (fn [s] (let [[v r] ((p-many digit) s)] (when (seq v) [v r])))))
(declare expr)
(def factor (p-or number (p-map second (p-seq (p-char #{\(}) (fn [s] (expr s)) (p-char #{\)})))))
(defn chain [p ops]
  (fn [s]
    (when-let [[v r] (p s)]
      (loop [v v r r]
        (if-let [[[o w] r2] ((p-seq (p-char (set (keys ops))) p) r)] (recur ((ops o) v w) r2) [v r])))))
(def term (chain factor {\* * \/ /}))
(def expr (chain term {\+ + \- -}))
(println (map (comp first expr) ["1+2*3" "(1+2)*3" "10/4" "2*(3+4)-5"]) (expr "x"))
