(def token-re #"\s*(?:(\d+\.?\d*)|([a-zA-Z_]\w*)|(==|<=|>=|[-+*/()=<>]))")
(defn tokenize [s]
  (map
   (fn [[_ n id op]]
     (cond n [:num (if (re-find #"\." n) (Double/parseDouble n) (Long/parseLong n))] id
           [:id (keyword id)] op [:op op]))
   (re-seq token-re s)))
(println (tokenize "x1 = 3.14*(y + 42) >= z"))
(defn prec [o] ({"+" 1 "-" 1 "*" 2 "/" 2} o))
(defn rpn [ts]
  (loop [[[k v :as t] & more] ts out [] st ()]
    (cond (nil? t) (into out st) (= k :num) (recur more (conj out v) st) (= v "(")
          (recur more out (conj st v)) (= v ")")
          (let [[a [_ & b]] (split-with #(not= % "(") st)] (recur more (into out a) b)) :else
          (let [[a b] (split-with #(and (prec %) (>= (prec %) (prec v))) st)]
            (recur more (into out a) (conj b v))))))
(println (rpn (tokenize "3 + 4 * (2 - 1)")))
(defn calc [r]
  (peek
   (reduce
    (fn [s x]
      (if (number? x) (conj s x)
          (let [b (peek s) a (peek (pop s))]
            (conj (pop (pop s)) (({"+" + "-" - "*" * "/" /} x) a b)))))
    [] r)))
(println (map (comp calc rpn tokenize) ["3 + 4 * (2 - 1)" "1/3+1/6" "2*3.5"]))
