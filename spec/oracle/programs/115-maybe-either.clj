(defn ok [v] {:ok v}) (defn err [e] {:err e})
(defn bind [r f] (if (contains? r :ok) (f (:ok r)) r))
(defmacro let-ok [[n r & more] body]
  `(bind ~r (fn [~n] ~(if (seq more) `(let-ok [~@more] ~body) body))))
(defn parse [s] (if-let [n (parse-long s)] (ok n) (err (str "not a number: " s))))
(defn divide [a b] (if (zero? b) (err "division by zero") (ok (/ a b))))
(defn calc [a b] (let-ok [x (parse a) y (parse b) q (divide x y)] (ok (str x "/" y "=" q))))
(run! prn [(calc "10" "4") (calc "x" "4") (calc "1" "0")])
(println (some-> {:a {:b 5}} :a :b inc) (some-> {:a nil} :a :b inc) (some->> [1 2] (filter even?) first (+ 10)))
(defn sequence-results [rs] (reduce (fn [acc r] (bind acc (fn [xs] (bind r #(ok (conj xs %)))))) (ok []) rs))
[(sequence-results (map parse ["1" "2"])) (sequence-results (map parse ["1" "z" "q"]))]
