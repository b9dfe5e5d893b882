(require '[clojure.string :as str] '[clojure.walk :as walk])

(def text "
# A service
title = \"Example \\\"quoted\\\"\"
enabled = true
ratio = 0.25
ports = [8000, 8001, 8_002]

[server]
host = \"localhost\"   # a comment
timeout = 30

[server.tls]
cert = 'C:\\path'
versions = [\"1.2\", \"1.3\"]

[[products]]
name = \"Hammer\"
sku = 738594937

[[products]]
name = \"Nail\"
colors = [[\"gray\", \"black\"], []]
")

(declare parse-value)

(defn skip-ws [s] (str/triml s))

(defn parse-string [s]
  (loop [chars (next s) out (StringBuilder.)]
    (let [[c d] chars]
      (cond
        (nil? c) (throw (ex-info "open string" {:at s}))
        (= c \") [(str out) (apply str (next chars))]
        (= c \\) (recur (nnext chars) (.append out (get {\n \newline \t \tab} d d)))
        :else (recur (next chars) (.append out c))))))

(defn parse-array [s]
  (loop [s (skip-ws (subs s 1)) out []]
    (case (first s)
      \] [out (subs s 1)]
      \, (recur (skip-ws (subs s 1)) out)
      nil (throw (ex-info "open array" {:so-far out}))
      (let [[v more] (parse-value s)]
        (recur (skip-ws more) (conj out v))))))

(defn parse-value [s]
  (let [s (skip-ws s)]
    (cond
      (str/starts-with? s "\"") (parse-string s)
      (str/starts-with? s "'") (let [end (str/index-of s "'" 1)] [(subs s 1 end) (subs s (inc end))])
      (str/starts-with? s "[") (parse-array s)
      :else
      (let [[token] (re-find #"^[^\s,\]#]+" s) token (re-find #"^[^\s,\]#]+" s) more (subs s (count token))
            plain (str/replace token "_" "")]
        [(condp re-matches plain
           #"true" true
           #"false" false
           #"[+-]?\d+" :>> parse-long
           #"[+-]?\d+\.\d+([eE][+-]?\d+)?" :>> (fn [[whole]] (parse-double whole))
           (throw (ex-info (str "bad value: " token) {:token token})))
         more]))))

(defn path-of [s] (mapv keyword (str/split s #"\.")))

(defn step [{:keys [doc path] :as state} [n line]]
  (let [line (str/trim line)]
    (cond
      (or (= line "") (str/starts-with? line "#")) state
      (re-matches #"\[\[.*\]\]" line)
      (let [p (path-of (subs line 2 (- (count line) 2)))
            doc (update-in doc p (fnil conj []) {})]
        (assoc state :doc doc :path (conj p (dec (count (get-in doc p))))))
      (re-matches #"\[.*\]" line)
      (let [p (path-of (subs line 1 (dec (count line))))]
        (assoc state :path p :doc (update-in doc p #(or % {}))))
      :else
      (let [[k v] (str/split line #"\s*=\s*" 2)
            [value more] (try (parse-value v)
                              (catch clojure.lang.ExceptionInfo e
                                (throw (ex-info (str "line " n ": " (ex-message e)) (assoc (ex-data e) :line n) e))))]
        (when-not (re-matches #"\s*(#.*)?" more)
          (throw (ex-info (str "line " n ": surplus text") {:line n :text more})))
        (assoc-in state (into [:doc] (conj path (keyword k))) value)))))

(defn parse [s]
  (:doc (reduce step {:doc (array-map) :path []} (map-indexed #(vector (inc %1) %2) (str/split-lines s)))))

(def doc (parse text))
(prn doc)
(println (get-in doc [:server :tls :versions 1]) (get-in doc [:products 1 :colors 0]) (:title doc))
(doseq [bad ["a = " "x = [1, 2" "y = 12z" "z = \"open" "k = 1 2"]]
  (println (pr-str bad) "=>"
           (try (parse bad)
                (catch clojure.lang.ExceptionInfo e
                  (list (ex-message e) (ex-data e) (some-> (ex-cause e) ex-message)))
                (catch Exception e (.getName (class e))))))

(defn flatten-keys
  ([m] (into (sorted-map) (flatten-keys [] m)))
  ([prefix x]
   (cond
     (map? x) (mapcat (fn [[k v]] (flatten-keys (conj prefix (name k)) v)) x)
     (and (vector? x) (some map? x)) (mapcat (fn [i v] (flatten-keys (conj prefix (str i)) v)) (range) x)
     :else [[(str/join "." prefix) x]])))

(doseq [[k v] (flatten-keys doc)] (println k "=" (pr-str v)))
(walk/stringify-keys (select-keys doc [:server :ports]))
