(def gifts ["a Partridge" "two Turtle Doves" "three French Hens" "four Calling Birds"])
(def nth-day ["first" "second" "third" "fourth"])
(defn verse [n]
  (let [gs (reverse (take n gifts))]
    (str "On the " (nth-day (dec n)) " day: "
         (if (= 1 n) (first gs) (str (clojure.string/join ", " (butlast gs)) ", and " (last gs))) ".")))
(doseq [n (range 1 5)] (println (verse n)))
(reduce + (map #(/ (* % (inc %)) 2) (range 1 13)))
