(defn levenshtein [a b]
  (peek
   (reduce (fn [prev [i ca]]
             (reduce (fn [row [j cb]]
                       (conj row (min (inc (peek row))
                                      (inc (nth prev (inc j)))
                                      (+ (nth prev j) (if (= ca cb) 0 1)))))
                     [(inc i)]
                     (map-indexed vector b)))
           (vec (range (inc (count b))))
           (map-indexed vector a))))

(doseq [[a b] [["kitten" "sitting"] ["flaw" "lawn"] ["" "abc"] ["same" "same"] ["sunday" "saturday"]]]
  (println (pr-str a) (pr-str b) (levenshtein a b)))

(def dictionary ["apple" "apply" "ample" "maple" "angle" "able"])
(defn suggest [w] (->> dictionary (map (juxt #(levenshtein w %) identity)) sort (take 3) (map second)))
(suggest "aple")
