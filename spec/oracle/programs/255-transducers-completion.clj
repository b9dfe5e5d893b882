(defn batch-xf [n]
  (fn [rf]
    (let [buf (volatile! [])]
      (fn ([] (rf)) ([acc] (let [b @buf] (rf (if (seq b) (unreduced (rf acc b)) acc))))
        ([acc x] (vswap! buf conj x)
                 (if (= n (count @buf)) (let [b @buf] (vreset! buf []) (rf acc b)) acc))))))
(prn (into [] (batch-xf 3) (range 10)))
(prn (sequence (comp (map inc) (batch-xf 2) (take 2)) (range 10)))
(prn (transduce (comp (filter odd?) (batch-xf 2)) conj (range 9)))
(prn (transduce (comp (take-while #(< % 5)) (map #(* % %))) + 100 (range)))
(prn (eduction (partition-by even?) (map vec) [1 3 2 4 5]))
(prn (reduce + 0 (eduction (map inc) (filter even?) (range 10))))
(prn (into #{} (comp cat (dedupe) (distinct)) [[1 1 2] [2 3] [3 1]]))
(prn (sequence (map vector) [1 2 3] [:a :b :c :d]))
(prn (transduce (comp (interpose :sep) (map-indexed vector)) conj [] [:a :b :c]))
(prn (transduce (random-sample 1.0) conj [] (range 3)))
(prn (transduce (halt-when neg? (fn [r x] {:ok r :bad x})) conj [] [1 2 -3 4]))
(prn (transduce (keep-indexed (fn [i x] (when (odd? i) [i x]))) conj [] "abcd"))
(let [xf (comp (partition-all 2) (map #(apply + %)))] (into () xf [1 2 3 4 5]))
