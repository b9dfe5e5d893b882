(defn rle-compress [s] (->> (re-seq #"(.)\1*" s) (map (fn [[run c]] (str (when (> (count run) 1) (count run)) c))) (apply str)))
(println (rle-compress "aaabccdddd") (rle-compress "") (rle-compress "xyz"))
(defn lzw [s]
  (loop [[c & more] (map str s) w "" dict (into {} (map (fn [i] [(str (char i)) i]) (range 256))) out []]
    (cond (nil? c) (if (= w "") out (conj out (dict w)))
          (dict (str w c)) (recur more (str w c) dict out)
          :else (recur more c (assoc dict (str w c) (count dict)) (conj out (dict w))))))
(println (lzw "TOBEORNOTTOBEORTOBEORNOT"))
(defn lunzip [codes]
  (loop [[k & more] (rest codes) w (str (char (first codes))) dict (into {} (map (fn [i] [i (str (char i))]) (range 256))) out [w]]
    (if (nil? k) (apply str out)
        (let [e (or (dict k) (str w (first w)))]
          (recur more e (assoc dict (count dict) (str w (first e))) (conj out e))))))
(lunzip (lzw "TOBEORNOTTOBEORTOBEORNOT"))
