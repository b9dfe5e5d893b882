;; Records in the tables of this directory what JVM Clojure 1.11 returns for the inputs in their
;; first columns. It keeps the inputs: a new row is a line with an input alone.
;; regenerate.sh runs it.
(ns user
  (:require [clojure.java.io :as io]
            [clojure.string :as str]))

(defrecord P [x y])

(defn- or-empty [s] (or s ()))

;; The tags for values that have no literal.
(def tags
  {'lazy    (fn [v] (lazy-seq v))
   'seq     (fn [v] (or-empty (seq v)))
   'rest    (fn [v] (rest (cons 0 (seq v))))
   'cons    (fn [v] (if (seq v) (cons (first v) (next v)) ()))
   'queue   (fn [v] (into (with-meta clojure.lang.PersistentQueue/EMPTY nil) v))
   'smap    (fn [m] (into (sorted-map) m))
   'hmap    (fn [m] (apply hash-map (mapcat identity m)))
   'sset    (fn [s] (into (sorted-set) s))
   'rec     (fn [m] (map->P m))
   'entry   (fn [[k v]] (clojure.lang.MapEntry/create k v))
   'range   (fn [[from to step]] (or-empty (seq (range from to step))))
   'rseq    (fn [v] (or-empty (rseq v)))
   'keys    (fn [m] (or-empty (keys m)))
   'vals    (fn [m] (or-empty (vals m)))
   'entries (fn [m] (or-empty (seq m)))
   'str     (fn [s] (or-empty (seq s)))
   'tagged  (fn [[tag form]] (tagged-literal tag form))
   'meta    (fn [[m v]] (with-meta v m))})

(defn- parse [text]
  (binding [*data-readers* tags] (read-string text)))

(defn- escape [text]
  (-> text (str/replace "\\" "\\\\") (str/replace "\n" "\\n") (str/replace "\t" "\\t")))

(defn- unescape [text]
  (str/replace text #"\\[\\nt]" {"\\\\" "\\" "\\n" "\n" "\\t" "\t"}))

;; Writes ~ for a string with an address, which each run of the JVM changes.
(defn- stable [text]
  (if (str/includes? text "#object[") "~" text))

(defn- values-row [[text]]
  (let [v (parse text)
        pr (stable (pr-str v))
        short #(if (and (= % pr) (not= % "~")) "^" %)]
    [(str (hash v)) pr (short (stable (print-str v))) (short (stable (str v)))
     (str (if (nil? v) 0 (.hashCode ^Object v)))]))

;; Returns the result of f, ! for a ClassCastException and ? for any other exception.
(defn- outcome [f]
  (try (f)
       (catch ClassCastException _ "!")
       (catch Exception _ "?")))

(defn- equal-sign [a b]
  (outcome #(if (= a b) "=" ".")))

;; Writes n*k for k times n in a row.
(defn- packed [results]
  (str/join " " (map (fn [run] (if (next run) (str (first run) "*" (count run)) (first run)))
                     (partition-by identity results))))

(defn- matrix-rows [rows]
  (let [values (mapv (comp parse first) rows)]
    (for [a values]
      [(apply str (map #(equal-sign a %) values))
       (packed (map #(outcome (fn [] (compare a %))) values))])))

(defn- pairs-row [[a b]]
  (let [a (parse a) b (parse b)]
    [(str (equal-sign a b) (equal-sign b a))]))

(defn- literals-row [[token]]
  [(let [v (try (read-string token) (catch Exception _ nil))]
     (if (number? v) (pr-str v) "!"))])

(defn- numbers-row [[operation]]
  [(try (pr-str (eval (parse operation)))
        (catch Throwable e (str "!" (.getName (class (or (.getCause e) e))))))])

;; Replaces the columns of a table after its first n by what rows returns for those.
(defn- record [file n rows]
  (let [lines (str/split-lines (slurp file))
        head (filter #(str/starts-with? % "#!") lines)
        inputs (map #(vec (take n (str/split % #"\t" -1))) (remove #(str/starts-with? % "#!") lines))
        recorded (rows (map #(mapv unescape %) inputs))
        body (map (fn [input row] (str/join "\t" (concat input (map escape row)))) inputs recorded)
        text (str (str/join "\n" (concat head body)) "\n")]
    (spit file text)))

(set! *print-namespace-maps* false)

(record "values.tsv" 1 (partial map values-row))
(record "matrix.tsv" 1 matrix-rows)
(record "pairs.tsv" 2 (partial map pairs-row))
(record "literals.tsv" 1 (partial map literals-row))
(record "numbers.tsv" 1 (partial map numbers-row))
