(def alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
(defn encode [s]
  (apply str
         (mapcat (fn [g]
                   (let [n (count g) [a b c] (concat (map int g) [0 0])
                         v (+ (bit-shift-left a 16) (bit-shift-left b 8) c)
                         cs (map #(nth alphabet (bit-and 63 (bit-shift-right v %))) [18 12 6 0])]
                     (concat (take (inc n) cs) (repeat (- 3 n) \=))))
                 (partition-all 3 s))))
(defn decode [s]
  (->> (remove #{\=} s)
       (map #(.indexOf alphabet (str %)))
       (partition-all 4)
       (mapcat (fn [g] (let [v (reduce #(+ (* 64 %1) %2) 0 (take 4 (concat g (repeat 0))))]
                         (take (dec (count g)) (map #(bit-and 255 (bit-shift-right v %)) [16 8 0])))))
       (map char) (apply str)))
(doseq [s ["" "M" "Ma" "Man" "Hello, World!"]] (println (pr-str s) (encode s) (= s (decode (encode s)))))
