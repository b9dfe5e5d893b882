(ns calc.core
  (:require [clojure.string :as str]))

(defn tokenize [s]
  (map (fn [t] (if (re-matches #"[\d.]+" t)
                 (if (str/includes? t ".") (parse-double t) (parse-long t))
                 (symbol t)))
       (re-seq #"\d+\.?\d*|[-+*/()]" s)))

(declare parse-expr)

(defn parse-factor [[t & more]]
  (cond
    (number? t) [t more]
    (= t '-) (let [[v r] (parse-factor more)] [(list '- v) r])
    (= t (symbol "(")) (let [[e r] (parse-expr more)] [e (rest r)])
    :else (throw (ex-info "Unexpected token" {:token t}))))

(defn parse-binary [next-level ops tokens]
  (loop [[lhs more] (next-level tokens)]
    (if (ops (first more))
      (let [[rhs r] (next-level (rest more))]
        (recur [(list (first more) lhs rhs) r]))
      [lhs more])))

(defn parse-term [tokens] (parse-binary parse-factor '#{* /} tokens))
(defn parse-expr [tokens] (parse-binary parse-term '#{+ -} tokens))

(defn evaluate [e]
  (if (seq? e)
    (let [[op & args] e]
      (apply ({'+ + '- - '* * '/ /} op) (map evaluate args)))
    e))

(defn calc [s]
  (let [[ast left] (parse-expr (tokenize s))]
    (when (seq left) (throw (ex-info "Trailing input" {:tokens left})))
    {:input s :ast ast :value (evaluate ast)}))

(doseq [s ["1 + 2 * 3" "(1 + 2) * 3" "10 / 4" "2 * (3 + 4) - -1" "1.5 * 4"]]
  (let [{:keys [ast value]} (calc s)]
    (println s "=>" ast "=>" value)))
(doseq [s ["1 +" "2 2" "1 / 0"]]
  (try (prn (calc s))
       (catch clojure.lang.ExceptionInfo e (println "error:" (ex-message e) (ex-data e)))
       (catch ArithmeticException e (println "math error:" (.getMessage e)))))
