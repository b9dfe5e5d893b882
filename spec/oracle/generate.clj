;; Oracle corpus generator.  Runs on JVM Clojure 1.11; see README.md.
;;
;;   clojure.main generate.clj exprs    <oracle-dir> <outfile> forward|shuffled
;;   clojure.main generate.clj programs <oracle-dir> <outfile> forward|shuffled
;;   clojure.main generate.clj merge    <oracle-dir> <a-exprs> <b-exprs> <a-progs> <b-progs>
(ns oracle.generate
  (:require [clojure.string :as str]
            [clojure.java.io :as io]
            [clojure.set :as set] [clojure.walk :as walk]
            [clojure.edn :as edn] [clojure.math :as math]
            clojure.test clojure.pprint clojure.zip clojure.data clojure.template)
  (:import [java.io StringReader StringWriter File]
           [clojure.lang LineNumberingPushbackReader Compiler Compiler$CompilerException
            LispReader$ReaderException RT Var]))

;; ---------------------------------------------------------------- tables

(def base-ns 'user)

(def aliases '[[clojure.string :as str] [clojure.set :as set] [clojure.walk :as walk]
               [clojure.edn :as edn] [clojure.math :as math]])

(def initial-namespaces (set (map ns-name (all-ns))))

(defn fresh-ns!
  "Drop every namespace made since start-up, and give a new empty `user`."
  [with-aliases?]
  (doseq [n (all-ns)
          :let [s (ns-name n)]
          :when (or (= s base-ns) (not (initial-namespaces s)))]
    (remove-ns s))
  (alter-var-root #'clojure.core/global-hierarchy (constantly (make-hierarchy)))
  (let [n (create-ns base-ns)]
    (binding [*ns* n]
      (refer 'clojure.core)
      (when with-aliases? (apply require aliases)))
    n))

(defn strip-lead
  "Text as given by read+string, without leading blanks and comment lines."
  [^String s]
  (let [t (str/triml s)]
    (if (str/starts-with? t ";")
      (recur (let [i (.indexOf t "\n")] (if (neg? i) "" (subs t (inc i)))))
      t)))

(defn forms-text
  "The source texts of the top-level forms of s."
  [s]
  (let [r (LineNumberingPushbackReader. (StringReader. s))
        eof (Object.)]
    (loop [acc []]
      (let [[form text] (read+string {:eof eof :read-cond :preserve} r)]
        (if (identical? form eof)
          acc
          (recur (conj acc (strip-lead text))))))))

(defn expand
  "Template text -> texts: `$name` takes each value of that set, `$[a b]` each
  of the listed ones; every occurrence is a dimension of its own."
  [sets template]
  (let [m (re-matcher #"\$(\[|[a-z][a-z0-9-]*)" template)]
    (if-not (.find m)
      [template]
      (let [start (.start m)
            tok (.group m 1)
            pre (subs template 0 start)]
        (if (= tok "[")
          (let [r (LineNumberingPushbackReader. (StringReader. (subs template (inc start))))
                [_ text] (read+string {:read-cond :preserve} r)
                rest-text (subs template (+ start 1 (count text)))
                tails (expand sets rest-text)]
            (for [v (forms-text (subs text 1 (dec (count text)))) t tails] (str pre v t)))
          (let [vals (or (get sets tok) (throw (ex-info (str "no set " tok) {:template template})))
                tails (expand sets (subs template (.end m)))]
            (for [v vals t tails] (str pre v t))))))))

(defn sample
  "n of coll, in order, chosen by a generator seeded from the template."
  [n template coll]
  (let [v (vec coll)]
    (if (<= (count v) n)
      v
      (let [idx (java.util.ArrayList. ^java.util.Collection (range (count v)))]
        (java.util.Collections/shuffle idx (java.util.Random. (long (hash template))))
        (mapv v (sort (take n idx)))))))

(defn inner [text]
  (subs text (inc (count (re-find #"^\([A-Z]+" text))) (dec (count text))))

(defn table-exprs
  "The expressions of one table file.  sets: name -> texts.  Returns [sets exprs]."
  [sets text]
  (reduce
   (fn [[sets acc] t]
     (cond
       (str/starts-with? t "(DEF ")
       (let [[nm & vals] (forms-text (inner t))]
         [(assoc sets nm (vec (mapcat #(expand sets %) vals))) acc])

       (str/starts-with? t "(EACH ")
       [sets (into acc (mapcat #(expand sets %)) (forms-text (inner t)))]

       (str/starts-with? t "(SAMPLE ")
       (let [[n & templates] (forms-text (inner t))]
         [sets (into acc (mapcat #(sample (parse-long n) % (expand sets %))) templates)])

       (str/starts-with? t "(RAW ")
       [sets (into acc (map read-string) (forms-text (inner t)))]

       :else [sets (conj acc t)]))
   [sets []]
   (forms-text text)))

(defn dedent
  "Continuation lines keep their relative indent."
  [t]
  (str/trimr t))

(defn all-areas
  "[[area [expr ...]] ...], without duplicates over all areas."
  [dir]
  (let [files (sort (filter #(str/ends-with? % ".clj")
                            (map #(.getName ^File %) (.listFiles (io/file dir "tables")))))
        [common _] (table-exprs {} (slurp (io/file dir "tables" "00-common.clj")))]
    (loop [fs (remove #{"00-common.clj"} files) seen #{} out []]
      (if-let [f (first fs)]
        (let [area (subs f 0 (- (count f) 4))
              [_ exprs] (try (table-exprs common (slurp (io/file dir "tables" f)))
                             (catch Throwable e
                               (throw (RuntimeException. (str "table " f ": " (ex-message e))))))
              exprs (remove seen (distinct (map dedent exprs)))]
          (recur (next fs) (into seen exprs) (conj out [area (vec exprs)])))
        out))))

;; ------------------------------------------------------------- evaluation

(defn realize [v]
  (cond
    (record? v) nil
    (map? v) (doseq [[k x] v] (realize k) (realize x))
    (coll? v) (doseq [x v] (realize x)))
  v)

(def compile-phases
  #{:read-source :macroexpansion :macro-syntax-check :compile-syntax-check :compilation})

(defn unwrap
  "[throwable compile-time?]"
  [^Throwable t]
  (loop [t t c false]
    (cond
      (and (instance? Compiler$CompilerException t) (.getCause t))
      (recur (.getCause t)
             (or c (contains? compile-phases (:clojure.error/phase (ex-data t)))))
      (and (instance? LispReader$ReaderException t) (.getCause t)) (recur (.getCause t) true)
      :else [t c])))

(defn eval-all
  "Read and evaluate every form of text; value of the last one."
  [text]
  (let [r (LineNumberingPushbackReader. (StringReader. text))
        eof (Object.)]
    (loop [v nil]
      (let [form (read {:eof eof} r)]
        (if (identical? form eof) v (recur (eval form)))))))

(defmacro in-script [n out & body]
  `(with-bindings {#'*ns* ~n
                   #'*out* ~out
                   #'*err* (StringWriter.)
                   #'*in* (LineNumberingPushbackReader. (StringReader. ""))
                   #'*warn-on-reflection* false
                   #'*unchecked-math* false
                   #'*data-readers* *data-readers*
                   #'*print-length* nil
                   #'*print-level* nil
                   #'*print-meta* false
                   #'*print-readably* true
                   #'*print-namespace-maps* true
                   #'*math-context* nil
                   #'*assert* true
                   #'*file* "NO_SOURCE_PATH"
                   #'clojure.test/*test-out* ~out
                   Compiler/LOADER (RT/makeClassLoader)}
     ~@body))

;; A value is written for the host, which has no dynamic vars.
(defn plain-str [v]
  (binding [*print-namespace-maps* false] (pr-str v)))

(defn run-expr* [text]
  (let [n (fresh-ns! true)
        out (StringWriter.)]
    (try
      (in-script n out
        (let [v (eval-all text)
              o1 (str out)
              _ (realize v)
              o2 (str out)
              s (plain-str v)]
          (if (= o1 o2)
            (cond-> {"e" text "v" s} (seq o1) (assoc "o" o1))
            {"e" text "drop" "lazy output"})))
      (catch StackOverflowError _ {"e" text "drop" "stack overflow"})
      (catch OutOfMemoryError _ {"e" text "drop" "memory"})
      (catch ThreadDeath _ {"e" text "drop" "timeout"})
      (catch Throwable t
        (let [[t c] (unwrap t)]
          (if (instance? StackOverflowError t)
            {"e" text "drop" "stack overflow"}
            (cond-> {"e" text "x" (.getName (class t))}
              (.getMessage ^Throwable t) (assoc "m" (.getMessage ^Throwable t))
              (seq (str out)) (assoc "o" (str out))
              c (assoc "c" true))))))))

(defn cpu-ms [^Thread th]
  (quot (.getThreadCpuTime (java.lang.management.ManagementFactory/getThreadMXBean) (.getId th)) 1000000))

(defn with-timeout
  "What f gives within ms of the processor's time, so that a busy machine changes nothing;
  within twenty times that by the clock."
  [ms text f]
  (let [p (promise)
        th (Thread. (fn [] (deliver p (try (f) (catch Throwable t {"e" text "drop" (str "harness " t)})))))
        began (System/currentTimeMillis)]
    (.setDaemon th true)
    (.start th)
    (let [r (loop []
              (or (deref p 100 nil)
                  (when (and (< (cpu-ms th) ms) (< (- (System/currentTimeMillis) began) (* 20 ms)))
                    (recur))))]
      (or r
          (do (.stop th) (.join th 500)
              {"e" text "drop" "timeout"})))))

(defn order [mode coll]
  (if (= mode "shuffled")
    (let [l (java.util.ArrayList. ^java.util.Collection coll)]
      (java.util.Collections/shuffle l (java.util.Random. 7))
      (vec l))
    coll))

(defn spit-edn [file v]
  (binding [*print-length* nil *print-namespace-maps* false]
    (spit file (pr-str v))))

(defn cmd-exprs [dir outfile mode]
  (let [exprs (order mode (mapcat second (all-areas dir)))
        results (into {} (map (fn [e] [e (with-timeout 2000 e #(run-expr* e))])) exprs)]
    (spit-edn outfile results)))

(defn run-program [text]
  (let [n (fresh-ns! false)
        out (StringWriter.)]
    (try
      (in-script n out
        (let [v (eval-all text)]
          (realize v)
          (when (some? v)
            (let [s (plain-str v)]
              (.write ^StringWriter out (str s "\n"))))
          {"out" (str out)}))
      (catch ThreadDeath t (throw t))
      (catch Throwable t
        {"out" (str out) "error" (str (first (unwrap t)) "\n" t)}))))

(defn program-files [dir]
  (sort (filter #(str/ends-with? % ".clj")
                (map #(.getName ^File %) (.listFiles (io/file dir "programs"))))))

(defn cmd-programs [dir outfile mode]
  (spit-edn outfile
            (into {}
                  (map (fn [f]
                         (let [text (slurp (io/file dir "programs" f))]
                           [f (with-timeout 10000 f #(run-program text))])))
                  (order mode (program-files dir)))))

;; ------------------------------------------------------------------ output

(defn json-string [^String s]
  (let [sb (StringBuilder. "\"")]
    (dotimes [i (.length s)]
      (let [c (.charAt s i) n (int c)]
        (cond
          (= c \") (.append sb "\\\"")
          (= c \\) (.append sb "\\\\")
          (= c \newline) (.append sb "\\n")
          (= c \tab) (.append sb "\\t")
          (= c \return) (.append sb "\\r")
          (or (< n 32) (= n 127) (<= 0x80 n 0xa0) (<= 0x2028 n 0x2029) (<= 0xd800 n 0xdfff)
              (= n 0xfeff))
          (.append sb (format "\\u%04x" n))
          :else (.append sb c))))
    (str (.append sb "\""))))

(defn json-line [r]
  (str "{" (str/join "," (for [k ["e" "v" "o" "x" "m" "c"] :when (contains? r k)]
                           (str (json-string k) ":"
                                (let [v (get r k)] (if (true? v) "true" (json-string v))))))
       "}"))

(def unstable
  "Text that depends on addresses, or on the compiler's and gensym's counters."
  #"#object\[|(?<!\buser\.[A-Z]\w{0,9})@[0-9a-f]{5,}|G__\d+|__\d+__auto__|\beval\d+|fn__\d+|reify__\d+|\w--\d+|p\d+__\d+#|0x[0-9a-f]{6,}|#<|oracle\.generate|NO_SOURCE")

(defn judge
  "The record to keep, or {\"drop\" why}."
  [a b]
  (let [a (if (and (get a "m") (or (re-find unstable (get a "m")) (not= (get a "m") (get b "m"))))
            (dissoc a "m")
            a)
        b (if (contains? a "m") b (dissoc b "m"))]
    (cond
      (get a "drop") a
      (get b "drop") b
      (not= a b) {"e" (get a "e") "drop" "differs between runs"}
      (some #(re-find unstable %) (keep a ["v" "o"])) {"e" (get a "e") "drop" "unstable text"}
      :else a)))

(defn cmd-merge [dir ae be ap bp]
  (let [rd #(binding [*read-eval* false] (read-string (slurp %)))
        a (rd ae) b (rd be)
        report (StringBuilder.)
        total (atom 0)]
    (doseq [^File f (.listFiles (io/file dir "expr"))] (.delete f))
    (doseq [[area exprs] (all-areas dir)]
      (let [js (map #(judge (a %) (b %)) exprs)
            kept (remove #(get % "drop") js)]
        (doseq [d js :when (get d "drop")]
          (.append report (str area ": " (get d "drop") ": " (get d "e") "\n")))
        (swap! total + (count kept))
        (println (format "%-24s %5d kept %4d dropped %5d throw" area (count kept)
                         (- (count js) (count kept)) (count (filter #(get % "x") kept))))
        (spit (io/file dir "expr" (str area ".jsonl"))
              (apply str (map #(str (json-line %) "\n") kept)))))
    (println "total" @total)
    (let [pa (rd ap) pb (rd bp) ok (atom 0)]
      (doseq [f (program-files dir)
              :let [x (pa f) y (pb f)
                    outf (io/file dir "programs" (str/replace f #"\.clj$" ".out"))]]
        (cond
          (or (get x "error") (get x "drop"))
          (do (println "PROGRAM FAILS" f (or (get x "error") (get x "drop"))) (.delete outf))
          (not= x y) (do (println "PROGRAM DIFFERS" f) (.delete outf))
          (re-find unstable (get x "out")) (do (println "PROGRAM UNSTABLE" f) (.delete outf))
          :else (do (swap! ok inc) (spit outf (get x "out")))))
      (println "programs" @ok))
    (spit (str ae ".dropped") (str report))))

(let [[cmd & args] *command-line-args*]
  (case cmd
    "exprs" (apply cmd-exprs args)
    "programs" (apply cmd-programs args)
    "merge" (apply cmd-merge args))
  (flush)
  (System/exit 0))
