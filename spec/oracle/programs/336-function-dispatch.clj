(defprotocol Eval (ev [x env]))
(extend-protocol Eval Number (ev [x _] x) clojure.lang.Symbol (ev [x env] (get env x (str "?" x)))
                 clojure.lang.IPersistentVector (ev [x env] (mapv #(ev % env) x)) clojure.lang.ISeq
                 (ev [[f & as] env] (apply (ev f env) (map #(ev % env) as))) clojure.lang.Fn (ev [f _] f)
                 clojure.lang.Keyword (ev [k _] (name k)) clojure.lang.IPersistentMap
                 (ev [m env] (into {} (for [[k v] m] [k (ev v env)]))) nil (ev [_ _] :nil) Object
                 (ev [o _] [:obj o]))
(println (ev '(+ 1 (* x 2)) {'+ + '* * 'x 5}) (ev [1 'y :k nil "s" {:a 'x}] {'x 3})
         (ev (list inc 4) {}))
