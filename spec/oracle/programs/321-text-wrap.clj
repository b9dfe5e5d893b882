(defn wrap [w s]
  (->> (clojure.string/split s #"\s+")
       (reduce
        (fn [ls wd]
          (let [l (peek ls) c (if (empty? l) wd (str l " " wd))]
            (if (<= (count c) w) (conj (pop ls) c) (conj ls wd))))
        [""])
       (clojure.string/join "\n")))
(println (wrap 20 "The quick brown fox jumps over the lazy dog and runs away"))
(defn center [w s]
  (let [p (- w (count s)) l (quot p 2)]
    (str (apply str (repeat l \space)) s (apply str (repeat (- p l) \space)))))
(println (str "[" (center 11 "hey") "]"))
(defn box [lines]
  (let [w (apply max (map count lines)) bar (str "+" (apply str (repeat (+ 2 w) "-")) "+")]
    (clojure.string/join "\n" (concat [bar] (map #(format (str "| %-" w "s |") %) lines) [bar]))))
(println (box ["a" "longer line" ""]))
(println (clojure.string/join "\n" (map #(apply str (interpose " " %)) [[1 2] [3 4]])))
(doseq [i (range 1 4)]
  (println (apply str (concat (repeat (- 3 i) " ") (repeat (dec (* 2 i)) "*")))))
