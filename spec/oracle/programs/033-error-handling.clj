(defn validate [{:keys [name age email] :as user}]
  (let [errors (cond-> []
                 (empty? name) (conj {:field :name :error "required"})
                 (not (int? age)) (conj {:field :age :error "must be an integer"})
                 (and (int? age) (neg? age)) (conj {:field :age :error "must not be negative"})
                 (not (re-find #"@" (or email ""))) (conj {:field :email :error "invalid"}))]
    (if (seq errors)
      (throw (ex-info "Validation failed" {:type ::invalid :errors errors}))
      user)))
(defn handle [u]
  (try
    (str "ok " (:name (validate u)))
    (catch clojure.lang.ExceptionInfo e
      (let [{:keys [type errors]} (ex-data e)]
        (str (name type) ": " (apply str (interpose "; " (map (fn [{:keys [field error]}] (str (name field) " " error)) errors))))))
    (finally (println "checked" (pr-str (:name u))))))
(println (handle {:name "Ann" :age 30 :email "ann@x.org"}))
(println (handle {:name "" :age -1 :email "nope"}))
(println (handle {:age "12"}))
(defn classify [f]
  (try (f)
       (catch ArithmeticException e [:arith (.getMessage e)])
       (catch NullPointerException _ [:npe])
       (catch ClassCastException _ [:cast])
       (catch IndexOutOfBoundsException _ [:index])
       (catch NumberFormatException e [:number (.getMessage e)])
       (catch Exception e [:other (ex-message e)])))
(prn (map classify [#(/ 1 0) #(inc nil) #(+ 1 "a") #(nth [1 2] 7) #(Integer/parseInt "4x") #(throw (Exception. "hm")) (constantly :fine)]))
