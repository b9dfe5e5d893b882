(require '[clojure.string :as str])

(defmulti to-json
  (fn [x]
    (cond (nil? x) :null
          (map? x) :object
          (or (sequential? x) (set? x)) :array
          (string? x) :string
          (keyword? x) :keyword
          (ratio? x) :ratio
          (number? x) :number
          (boolean? x) :boolean)))

(defmethod to-json :null [_] "null")
(defmethod to-json :boolean [b] (str b))
(defmethod to-json :number [n] (str n))
(defmethod to-json :ratio [r] (str (double r)))
(defmethod to-json :keyword [k] (to-json (name k)))
(defmethod to-json :string [s]
  (str \" (str/escape s {\" "\\\"" \\ "\\\\" \newline "\\n" \tab "\\t"}) \"))
(defmethod to-json :array [xs] (str "[" (str/join "," (map to-json xs)) "]"))
(defmethod to-json :object [m]
  (str "{" (str/join "," (for [[k v] m] (str (to-json (if (keyword? k) (name k) (str k))) ":" (to-json v)))) "}"))

(println (to-json {:name "Bob \"B\" Smith" :age 42 :tags [:a :b] :nested {:x nil :y true}}))
(println (to-json [1 2.5 3/4 "line\nbreak" []]))
(println (to-json (sorted-map "z" 1 "a" {:k '(1 2)})))
(println (to-json {1 2}))
