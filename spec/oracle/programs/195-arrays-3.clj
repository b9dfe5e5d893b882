(let [n 20 sieve (boolean-array (inc n) true)]
  (doseq [i (range 2 (inc (Math/sqrt n))) :when (aget sieve i) j (range (* i i) (inc n) i)] (aset sieve j false))
  (println (filter #(aget sieve %) (range 2 (inc n)))))
(let [arr (long-array [5 2 9 1])]
  (dotimes [i (alength arr)]
    (loop [j i] (when (and (pos? j) (> (aget arr (dec j)) (aget arr j)))
                  (let [t (aget arr j)] (aset arr j (aget arr (dec j))) (aset arr (dec j) t)) (recur (dec j)))))
  (println (vec arr) (seq arr) (areduce arr i s 0 (+ s (aget arr i)))))
(println (map (fn [row] (apply + row)) (to-array-2d [[1 2] [3 4]])) (String. (char-array [\o \k])) (apply str (char-array "abc")) (alength (make-array String 3)))
(defn hist ^longs [^longs xs k] (let [h (long-array k)] (dotimes [i (alength xs)] (let [b (aget xs i)] (aset h b (inc (aget h b))))) h))
(println (vec (hist (long-array [0 1 1 2 2 2]) 4)))
