(require '[clojure.string :as str])
(def data {"jan" 5 "feb" 12 "mar" 8 "apr" 0})
(defn bar [n mx width] (apply str (repeat (quot (* n width) mx) "█")))
(let [mx (apply max (vals data))]
  (doseq [m ["jan" "feb" "mar" "apr"]]
    (println (format "%-4s|%-12s| %d" m (bar (data m) mx 12) (data m)))))
(let [rows (for [level (range 4 0 -1)] (str/join " " (map #(if (>= (data %) (* 3 level)) "##" "  ") ["jan" "feb" "mar" "apr"])))]
  (run! println rows))
(println (str/join (repeat 12 "-")))
(zipmap (keys data) (map #(str (Math/round (* 100.0 (/ % 25))) "%") (vals data)))
