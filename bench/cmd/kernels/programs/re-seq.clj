; Regular expressions: re-seq, re-find, re-matches with groups, replace.
(require '[clojure.string :as str])
(def text (apply str (map (fn [i] (str "move " i " from " (mod i 9) " to " (mod i 7) "; ")) (range 2000))))
(defn kernel []
  (+ (reduce + (map parse-long (re-seq #"\d+" text)))
     (count (re-seq #"(\w+) (\d+)" text))
     (reduce + (map (fn [s] (let [[_ a b] (re-matches #" *move (\d+) from (\d+) to \d+" s)]
                              (if a (+ (parse-long a) (parse-long b)) 0)))
                    (str/split text #";")))
     (count (str/replace text #"[aeiou]" "*"))))
