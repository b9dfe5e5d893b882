; destructure in macros.
(defmacro let2 [bs & body] `(let* ~(destructure bs) ~@body))
(prn (let2 [[a b & c :as d] [1 2 3 4]
            {:keys [x y/z] :strs [s] :syms [q] e :e :or {e 5 x 9} :as m} {:y/z 1 "s" 2 'q 3}]
       [a b c d x z s q e m]))
(prn (let2 [{:keys [k]} (list :k 1) [[p] {r :r}] [[1] {:r 2}] {:a/keys [w]} {:a/w 7}] [k p r w]))
(prn (destructure '[a 1 b 2]) (count (destructure '[[a b] x])) (count (destructure '[[a & b] x])))
(prn (try (destructure '[1 2]) (catch Exception e (.getMessage e))))
(prn (try (destructure '[[a & b c] 2]) (catch Exception e (.getMessage e))))
(prn (first (macroexpand '(let [[a b] x] a))) (count (second (macroexpand-1 '(let [[a b] x] a)))))
