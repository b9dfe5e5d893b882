(require '[clojure.string :as str] '[clojure.walk :as walk])
(def rules (atom []))
(defmacro defrule [name & body]
  (let [[doc body] (if (string? (first body)) [(first body) (rest body)] [nil body])
        [conds [_ & actions]] (split-with #(not= '=> %) body)
        vars (vec (distinct (filter #(and (symbol? %) (str/starts-with? (str %) "?")) (flatten conds))))]
    `(do (defn ~name ~@(when doc [doc]) [{:syms ~vars}] ~@actions)
         (swap! rules conj {:name '~name :conds '~(vec conds) :act ~name})
         '~name)))
(defn variable? [x] (and (symbol? x) (= \? (first (name x)))))
(defn unify [env pattern fact]
  (cond
    (nil? env) nil
    (= '_ pattern) env
    (variable? pattern) (if-let [[_ v] (find env pattern)] (when (= v fact) env) (assoc env pattern fact))
    (and (vector? pattern) (vector? fact) (= (count pattern) (count fact))) (reduce (fn [e [p f]] (unify e p f)) env (map vector pattern fact))
    (= pattern fact) env))
(defn match-all [facts conds]
  (reduce (fn [envs c]
            (if (list? c)
              (filter (fn [env] (let [[op & args] c] (apply ({'not= not= '< < '= =} op) (map #(get env % %) args)))) envs)
              (for [env envs f facts :let [e (unify env c f)] :when e] e)))
          [{}] conds))
(defn forward [facts]
  (loop [facts (into (sorted-set-by #(compare (pr-str %1) (pr-str %2))) facts) rounds 0]
    (let [new (for [{:keys [conds act]} @rules env (match-all facts conds) f (act env) :when (not (contains? facts f))] f)]
      (if (or (empty? new) (> rounds 10)) {:facts facts :rounds rounds} (recur (into facts new) (inc rounds))))))
(println (defrule grandparent "two steps up" [:parent ?a ?b] [:parent ?b ?c] => [[:grandparent ?a ?c]])
         (defrule sibling [:parent ?p ?x] [:parent ?p ?y] (not= ?x ?y) => [[:sibling ?x ?y] [:sibling ?y ?x]])
         (defrule ancestor [:parent ?a ?b] => [[:ancestor ?a ?b]])
         (defrule ancestor-of [:ancestor ?a ?b] [:ancestor ?b ?c] => [[:ancestor ?a ?c]])
         (defrule elder [:age ?x ?n] [:age ?y ?m] [:sibling ?x ?y] (< ?m ?n) => [[:elder ?x ?y (- ?n ?m)]]))
(def facts [[:parent :ann :bob] [:parent :ann :cy] [:parent :bob :dee] [:parent :dee :eve] [:age :bob 50] [:age :cy 47]])
(def result (forward facts))
(println (:rounds result) (count (:facts result)))
(doseq [[k fs] (group-by first (:facts result))] (println k (map (comp vec rest) fs)))
(println (:doc (meta #'grandparent)) (:arglists (meta #'sibling)) (map :name @rules))
(println (unify {} '[?a [?b _] ?a] [1 [2 3] 1]) (unify {} '[?a ?a] [1 2]) (unify {'?a nil} '?a nil))
(defmacro unless-let [[b e] then else] `(let [v# ~e] (if v# (let [~b v#] ~else) ~then)))
(defmacro my-cond [& clauses] (when-let [[t e & more] (seq clauses)] (list 'if t e (cons `my-cond more))))
(defmacro defops [& ops] `(do ~@(for [[n op] (partition 2 ops)] `(defn ~n [~'a ~'b] (~op ~'a ~'b))) ~(count ops)))
(defmacro with-trace [& forms] (let [log (gensym "log")] `(let [~log (atom [])] ~@(map (fn [f] `(swap! ~log conj ['~f ~f])) forms) @~log)))
(defmacro gen-accessors [prefix & ks] `(list ~@(map (fn [k] `(defn ~(symbol (str prefix "-" (name k))) [m#] (~k m#))) ks)))
(println (unless-let [x (get {} :a)] :none [:some x]) (unless-let [x 5] :none [:some x]) (my-cond false 1 nil 2 :else 3) (my-cond false 1))
(println (defops plus + times *) (plus 2 3) (times 2 3) (with-trace (+ 1 2) (str "a") (count [1])))
(println (gen-accessors "get" :x :y) (get-x {:x 1}) (get-y {:y 2}))
(defmacro nested [x] `(let [y# 10] (map (fn [z#] `(~z# ~y# ~~x)) [1 2])))
(println (nested (+ 1 1)) `(b ~@[1 2] {:k ~(inc 1)} #{~:x} [~@nil]) `~'sym ``x)
(defmacro ->? [x & forms] (reduce (fn [acc f] (let [v (gensym)] `(let [~v ~acc] (when (some? ~v) ~(if (seq? f) `(~(first f) ~v ~@(rest f)) `(~f ~v)))))) x forms))
(println (->? {:a {:b 3}} :a :b (+ 1)) (->? {:a nil} :a :b (+ 1)) (macroexpand-1 '(my-cond a b c d)))
