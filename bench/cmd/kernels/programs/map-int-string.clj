; Characters of strings as numbers.
(def text (apply str (repeat 2000 "The quick brown fox. ")))
(defn kernel []
  (+ (apply + (map int text))
     (apply max (map #(- (int %) 32) text))
     (reduce + (map-indexed (fn [i c] (* (mod i 7) (int c))) text))))
