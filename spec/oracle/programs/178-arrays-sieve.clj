(defn sieve [n]
  (let [composite (boolean-array (inc n))]
    (loop [i 2]
      (when (<= (* i i) n)
        (when-not (aget composite i)
          (loop [j (* i i)] (when (<= j n) (aset composite j true) (recur (+ j i)))))
        (recur (inc i))))
    (vec (for [i (range 2 (inc n)) :when (not (aget composite i))] i))))
(println (sieve 50))
(defn lcs-length [a b]
  (let [m (count a) n (count b) t (make-array Long/TYPE (inc m) (inc n))]
    (doseq [i (range 1 (inc m)) j (range 1 (inc n))]
      (aset t i j (if (= (nth a (dec i)) (nth b (dec j))) (inc (aget t (dec i) (dec j))) (max (aget t (dec i) j) (aget t i (dec j))))))
    (aget t m n)))
(println (lcs-length "AGGTAB" "GXTXAYB"))
(def a (int-array [5 3 9 1]))
(println (alength a) (areduce a i s 0 (+ s (aget a i))) (vec (amap a i r (* 2 (aget a i)))) (seq a) (apply max a))
(let [b (aclone a)] (aset b 0 100) (println (aget a 0) (aget b 0)))
(defn swap-in! [arr i j] (let [t (aget arr i)] (aset arr i (aget arr j)) (aset arr j t)))
(defn bubble-sort [xs]
  (let [arr (object-array xs) n (alength arr)]
    (dotimes [i n] (dotimes [j (- n i 1)] (when (pos? (compare (aget arr j) (aget arr (inc j)))) (swap-in! arr j (inc j)))))
    (vec arr)))
(println (bubble-sort [5 2 8 1 9 3]) (bubble-sort ["pear" "apple" "fig"]))
(println (try (aget a 10) (catch ArrayIndexOutOfBoundsException e (.getMessage e))))
(println (String. (char-array [\a \b])) (apply str (char-array "xyz")) (vec (double-array 3 1.5)) (map inc (long-array [1 2])))
(println (count (into-array ["a" "b"])) (first (to-array [1 2])) (reduce + (double-array [1 2 3.5])) (nth (int-array [7 8]) 1) (into [] (byte-array [1 2])))
(class (long-array 1))
