(require '[clojure.string :as str])
;; parsers: state {:in chars :pos n} -> [value state] or nil
(defn p-item [{:keys [in pos]}] (when-let [c (first in)] [c {:in (rest in) :pos (inc pos)}]))
(defn p-return [v] (fn [st] [v st]))
(defn p-bind [p f] (fn [st] (when-let [[v st'] (p st)] ((f v) st'))))
(defn p-sat [pred] (fn [st] (when-let [[c st'] (p-item st)] (when (pred c) [c st']))))
(defn p-or [& ps] (fn [st] (some #(% st) ps)))
(defmacro p-let [bindings result]
  (if (empty? bindings)
    `(p-return ~result)
    (let [[b p & more] bindings]
      `(p-bind ~p (fn [~b] (p-let [~@more] ~result))))))
(defn p-many [p]
  (fn [st] (loop [st st out []]
             (if-let [[v st'] (p st)] (recur st' (conj out v)) [out st]))))
(defn p-many1 [p] (p-let [x p xs (p-many p)] (into [x] xs)))
(defn p-char [c] (p-sat #{c}))
(defn p-lit [s] (fn [st] ((reduce (fn [acc c] (p-let [a acc b (p-char c)] (str a b))) (p-return "") s) st)))
(def ws (p-many (p-sat #(Character/isWhitespace ^char %))))
(defn tok [p] (p-let [v p _ ws] v))
(defn sym [s] (tok (p-lit s)))
(defn chainl [p op]
  (p-bind p (fn [x] (fn [st]
                      (loop [acc x st st]
                        (if-let [[f st1] (op st)]
                          (if-let [[y st2] (p st1)] (recur (f acc y) st2) [acc st])
                          [acc st]))))))
(def number (tok (p-let [ds (p-many1 (p-sat #(Character/isDigit ^char %)))
                         frac (p-or (p-let [_ (p-char \.) fs (p-many1 (p-sat #(Character/isDigit ^char %)))] (str "." (apply str fs)))
                                    (p-return nil))]
                   (if frac (parse-double (str (apply str ds) frac)) (parse-long (apply str ds))))))
(def ident (tok (p-let [c (p-sat #(Character/isLetter ^char %)) cs (p-many (p-sat #(Character/isLetterOrDigit ^char %)))]
                  (keyword (apply str c cs)))))
(declare expr)
(def delayed-expr (fn [st] (expr st)))
(def factor
  (p-or (p-let [_ (sym "(") e delayed-expr _ (sym ")")] e)
        (p-let [_ (sym "-") e (fn [st] (factor st))] [:neg e])
        (p-let [f ident _ (sym "(") a delayed-expr
                more (p-many (p-let [_ (sym ",") x delayed-expr] x)) _ (sym ")")]
          (into [:call f a] more))
        number ident))
(def power (p-bind factor (fn [b] (p-or (p-let [_ (sym "^") e (fn [st] (power st))] [:pow b e]) (p-return b)))))
(defn binop [m] (apply p-or (for [[s k] m] (p-let [_ (sym s)] (fn [a b] [k a b])))))
(def term (chainl power (binop {"*" :mul "/" :div})))
(def expr (chainl term (binop (array-map "+" :add "-" :sub))))
(defn parse [s]
  (let [[v st] (or ((p-let [_ ws e expr] e) {:in (seq s) :pos 0}) [nil {:in (seq s) :pos 0}])]
    (if (seq (:in st)) {:error (str "unexpected " (first (:in st)) " at " (:pos st))} v)))
(def fns {:max max :min min :sqr #(*' % %) :avg (fn [& xs] (/ (apply + xs) (count xs)))})
(defn ev [env e]
  (cond
    (number? e) e
    (keyword? e) (if-let [[_ v] (find env e)] v (throw (ex-info (str "unbound " (name e)) {:var e})))
    :else (let [[op & args] e]
            (case op
              :call (apply (or (fns (first args)) (throw (ex-info "no function" {:fn (first args)}))) (map #(ev env %) (rest args)))
              :pow (let [[b n] (map #(ev env %) args)] (reduce *' (repeat n b)))
              (apply ({:add + :sub - :mul * :div / :neg -} op) (map #(ev env %) args))))))
(doseq [s ["1 + 2 * 3" "(1 + 2) * 3" "2 ^ 3 ^ 2" "10 / 4" "10.0 / 4" "-x + y" "max(1, 2 * x, y)" "avg(1,2,3,4)"
           "1 +" "sqr(x" "1 2" "2 ^ 100" "foo(1)" "z * 2" "1 / 0" "8 - 3 - 2" "--5"]]
  (let [ast (parse s)]
    (println (format "%-18s" s) (pr-str ast) "=>"
             (if (and (map? ast) (:error ast)) "-"
               (try (pr-str (ev {:x 3 :y 4.5} ast))
                    (catch clojure.lang.ExceptionInfo e (str (ex-message e) " " (ex-data e)))
                    (catch Exception e (str (.getSimpleName (class e)) ": " (.getMessage e))))))))
(defn depth [e] (if (vector? e) (inc (apply max 0 (map depth e))) 0))
(mapv (comp depth parse) ["1" "1+2" "1+2*3" "((1+2)*(3+4))^2" "max(1,max(2,max(3,4)))"])
