(require '[clojure.string :as str])
(defn parse [v] (mapv parse-long (str/split v #"\.")))
(defn compare-versions [a b]
  (let [a (parse a) b (parse b) n (max (count a) (count b)) pad #(into % (repeat (- n (count %)) 0))]
    (compare (pad a) (pad b))))
(def vs ["1.10.0" "1.2" "1.2.1" "0.9.9" "1.2.0" "2.0"])
(println (sort compare-versions vs))
(println (sort vs))
(doseq [[a b] [["1.2" "1.2.0"] ["1.10" "1.9"] ["0.1" "1"]]] (println a (case (compare-versions a b) -1 "<" 0 "=" 1 ">") b))
(last (sort compare-versions vs))
