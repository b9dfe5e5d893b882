(require '[clojure.string :as str])
(defn escape-html [s] (str/escape (str s) {\< "&lt;" \> "&gt;" \& "&amp;" \" "&quot;"}))
(defn attrs->str [m] (apply str (for [[k v] (sort m) :when (some? v)] (if (true? v) (str " " (name k)) (str " " (name k) "=\"" (escape-html v) "\"")))))
(defn html [x]
  (cond
    (nil? x) ""
    (vector? x) (let [[tag & more] x
                      [attrs body] (if (map? (first more)) [(first more) (rest more)] [{} more])
                      [_ t id classes] (re-matches #"([^#.]+)(?:#([^.]+))?(?:\.(.+))?" (name tag))
                      attrs (cond-> attrs id (assoc :id id) classes (assoc :class (str/replace classes "." " ")))]
                  (if (#{"br" "img" "input"} t)
                    (str "<" t (attrs->str attrs) "/>")
                    (str "<" t (attrs->str attrs) ">" (apply str (map html body)) "</" t ">")))
    (seq? x) (apply str (map html x))
    :else (escape-html x)))
(println (html [:div#main.box.big {:data-x 1} [:h1 "Tom & Jerry"] (for [i (range 3)] [:li i]) [:br] nil]))
(println (html [:input {:type "text" :disabled true :value "\"q\""}]))
(html [:p "a < b"])
