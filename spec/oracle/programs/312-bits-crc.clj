(def table
  (vec
   (for [n (range 256)]
     (loop [c n k 0]
       (if (= k 8) c
           (recur
            (if (odd? c) (bit-xor 0xEDB88320 (unsigned-bit-shift-right c 1))
                (unsigned-bit-shift-right c 1))
            (inc k)))))))
(defn crc32 [s]
  (bit-xor 0xFFFFFFFF
           (reduce
            (fn [c b]
              (bit-xor (table (bit-and (bit-xor c (bit-and b 0xff)) 0xff)) (unsigned-bit-shift-right c 8)))
            0xFFFFFFFF (.getBytes s))))
(println (format "%08x" (crc32 "The quick brown fox jumps over the lazy dog"))
         (Long/toHexString (crc32 "a")))
(defn fnv [s]
  (reduce (fn [h b] (unchecked-multiply (bit-xor h (bit-and b 0xff)) 1099511628211))
          -3750763034362895579 (.getBytes s)))
(println (fnv "hello") (Long/toUnsignedString (fnv "hello")))
(defn adler [s]
  (let
   [[a b]
    (reduce (fn [[a b] c] (let [a (mod (+ a (int c)) 65521)] [a (mod (+ a b) 65521)])) [1 0] s)]
    (bit-or (bit-shift-left b 16) a)))
(println (adler "Wikipedia"))
(println (Integer/rotateLeft (unchecked-int 0x80000001) 4) (unchecked-add-int 2147483647 1)
         (unchecked-int 0xFFFFFFFF) (bit-and 0xFFFFFFFF (unchecked-int -5)))
