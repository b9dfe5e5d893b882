(defn render [[label & kids]]
  (cons label
        (mapcat (fn [i kid]
                  (let [last? (= i (dec (count kids))) [h & t] (render kid)]
                    (cons (str (if last? "└── " "├── ") h) (map #(str (if last? "    " "│   ") %) t))))
                (range) kids)))
(run! println (render ["root" ["a" ["a1"] ["a2" ["deep"]]] ["b"] ["c" ["c1"]]]))
(defn depth [[_ & kids]] (inc (apply max 0 (map depth kids))))
(defn leaves [[l & kids]] (if kids (mapcat leaves kids) [l]))
(println (depth ["r" ["a" ["b"]] ["c"]]) (leaves ["r" ["a" ["b"]] ["c"]]))
(defn path->tree [paths] (reduce (fn [t p] (assoc-in t p {})) (sorted-map) paths))
(path->tree [[:a :b] [:a :c] [:d]])
