; The vars of macros hold functions of the form, the environment and the arguments.
(defmacro foo [x] `(inc ~x))
(prn (apply #'foo (list nil nil 1)) (#'foo nil {} 5) (@#'foo nil nil 4) ((resolve 'foo) nil nil 4))
(prn (first (apply #'when-not (list nil nil false 1))) (first (apply #'let nil nil '([a 1] a))))
(prn (.isMacro #'foo) (.isMacro #'when) (.isMacro #'inc) (.isDynamic #'*out*) (.isPublic #'inc))
(declare later)
(prn (.hasRoot #'later) (.isBound #'later) (.hasRoot #'foo) (.toSymbol #'inc))
(let [[a b c & more] (macroexpand '(defn f "doc" {:k 1} ([x] x)))]
  (prn a b (count more) (select-keys (meta b) [:doc :k :arglists])))
