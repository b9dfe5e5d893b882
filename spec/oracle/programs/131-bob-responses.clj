(require '[clojure.string :as str])
(defn response-for [s]
  (let [s (str/trim s) question? (str/ends-with? s "?") yelling? (and (re-find #"[A-Z]" s) (= s (str/upper-case s)))]
    (cond (str/blank? s) "Fine. Be that way!"
          (and yelling? question?) "Calm down, I know what I'm doing!"
          yelling? "Whoa, chill out!"
          question? "Sure."
          :else "Whatever.")))
(doseq [s ["Hi" "WATCH OUT!" "Ok?" "WHAT?" "   " "1, 2, 3" "1, 2, 3 GO!" "\t\n"]] (println (pr-str s) "->" (response-for s)))
