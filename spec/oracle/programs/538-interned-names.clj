; identical? of the names of symbols and keywords, and of literals
(defn one [] 'foo)
(defn two [] '(a foo b/c))
(prn (identical? (name (one)) (name (second (two)))) (identical? (name (one)) "foo") (identical? (str (one)) (name (second (two)))))
(let [s (symbol (str "f" "oo")) k :a/b]
  (prn (identical? (name s) (name s)) (identical? (str s) (name s)) (identical? (name k) (name k)) (identical? (str k) (str k))
       (identical? (namespace k) (namespace k))))
(defn text [] "bar")
(prn (identical? (text) "bar") (identical? (str "bar") (text)) (identical? (first ["bar"]) (text)) (identical? (eval "bar") (text)))
(prn (identical? (str "b" (apply str [\a \r])) "bar") (identical? (subs "bart" 0 3) "bar") (identical? (apply str "bar") (text)))
(prn (identical? "" (str)) (identical? (str nil) ""))
(prn (.get (java.util.IdentityHashMap. {(text) 1}) "bar") (.get (java.util.IdentityHashMap. {(text) 1}) (str "b" (apply str [\a \r]))))
(deftype Var* [name] Object (equals [_ o] (identical? name (.-name ^Var* o))) (hashCode [_] 1))
(prn (= (Var*. (str '?x)) (Var*. (str '?x))) (= (Var*. (str '?x)) (Var*. (str '?y))))
