(defmacro ->maybe [x & fs]
  (let [g (gensym)]
    `(let [~g ~x ~@(interleave (repeat g) (map (fn [f] `(when (some? ~g) (-> ~g ~f))) fs))] ~g)))
(println (->maybe {:a {:b 2}} :a :b inc) (->maybe {} :a :b inc))
(defmacro for-loop [[s init test step] & body] `(loop [~s ~init] (when ~test ~@body (recur ~step))))
(for-loop [i 0 (< i 3) (inc i)] (print i))
(newline)
(defmacro deftable [nm & rows]
  (let [[hdr & data] (partition-by #{'|} rows)]
    `(def ~nm '~(vec (remove #(= % '(|)) (cons hdr data))))))
(deftable t a b | 1 2 | 3 4)
(println t)
(defmacro time-it [& b] `(let [r# (do ~@b)] [:ok r#]))
(println (time-it 1 2))
(defmacro with-retries [n & body]
  `(loop [i# 1]
     (let [r# (try {:v (do ~@body)} (catch Exception e# (if (= i# ~n) (throw e#) ::fail)))]
       (if (= r# ::fail) (recur (inc i#)) (:v r#)))))
(let [c (atom 0)] (println (with-retries 3 (if (< (swap! c inc) 3) (throw (Exception. "no")) @c))))
(defmacro my-cond [& [c e & more]] (when c `(if ~c ~e (my-cond ~@more))))
(println (my-cond false 1 nil 2 :else 3))
(defmacro defenum [nm & vs]
  `(do ~@(map-indexed (fn [i v] `(def ~(symbol (str nm "-" (name v))) ~i)) vs)))
(defenum color :red :green)
(println color-red color-green)
(println (macroexpand-1 '(defenum x :a)) (let [[a & b] (macroexpand '(when-let [x 1] x))] a))
(defmacro capture [] `{:locals '~(keys &env) :form '~&form})
(println (let [a 1] (:locals (capture))))
