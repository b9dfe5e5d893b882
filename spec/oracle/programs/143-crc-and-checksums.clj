(defn adler32 [s] (let [[a b] (reduce (fn [[a b] c] (let [a (mod (+ a (int c)) 65521)] [a (mod (+ b a) 65521)])) [1 0] s)] (bit-or (bit-shift-left b 16) a)))
(println (format "%08x" (adler32 "Wikipedia")))
(def crc-table (mapv (fn [n] (nth (iterate #(if (odd? %) (bit-xor 0xEDB88320 (unsigned-bit-shift-right % 1)) (unsigned-bit-shift-right % 1)) n) 8)) (range 256)))
(defn crc32 [s] (bit-xor 0xFFFFFFFF (reduce (fn [c ch] (bit-xor (crc-table (bit-and 255 (bit-xor c (int ch)))) (unsigned-bit-shift-right c 8))) 0xFFFFFFFF s)))
(println (format "%08x" (crc32 "The quick brown fox jumps over the lazy dog")))
(defn fnv1a [s] (reduce (fn [h c] (bit-and 0xFFFFFFFF (* 16777619 (bit-xor h (int c))))) 2166136261 s))
(println (map fnv1a ["" "a" "foobar"]))
(defn djb2 [s] (reduce (fn [h c] (bit-and 0xFFFFFFFF (+ (* 33 h) (int c)))) 5381 s))
[(djb2 "hello") (.hashCode "hello") (reduce (fn [h c] (unchecked-int (+ (* 31 h) (int c)))) 0 "hello")]
