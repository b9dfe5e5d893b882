(defn rle [s] (map (juxt first count) (partition-by identity s)))
(defn unrle [ps] (apply str (mapcat (fn [[c n]] (repeat n c)) ps)))
(defn rle-string [s] (apply str (mapcat (fn [[c n]] (if (= 1 n) [c] [n c])) (rle s))))
(defn unrle-string [s]
  (apply str (for [[_ n c] (re-seq #"(\d*)(\D)" s)]
               (apply str (repeat (if (= "" n) 1 (parse-long n)) c)))))
(doseq [s ["WWWWBWWWBBC" "aabbb" "abc" ""]]
  (println (pr-str s) (rle s) (pr-str (rle-string s)) (= s (unrle (rle s)) (unrle-string (rle-string s)))))
(rle [1 1 :a :a :a nil])
