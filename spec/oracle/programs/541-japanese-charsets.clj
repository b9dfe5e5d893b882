; Shift_JIS, EUC-JP and ISO-2022-JP
(defn hex [bs] (apply str (map #(format "%02x" (bit-and % 255)) bs)))
(doseq [cs ["Shift_JIS" "EUC-JP" "ISO-2022-JP"]]
  (doseq [s ["いろは" "a漢字b" "ｱｲｳ" "€" "a€b" "あ€a" "¥‾\\~" "①" "あ\nい" "" "〜－" "亜腕弌熙" "ｱあa¥b" "😀" "×÷Αя─"]]
    (println cs s (hex (.getBytes s cs)) (pr-str (String. (.getBytes s cs) cs)) (java.net.URLEncoder/encode s cs) (java.net.URLDecoder/decode (java.net.URLEncoder/encode s cs) cs))))
(prn (map #(str (java.nio.charset.Charset/forName %)) ["sjis" "EUCJIS" "jis" "csISO2022JP" "ms_kanji" "euc_jp"]))
(let [r (java.util.Random. 7) h (atom 0)]
  (doseq [cs ["Shift_JIS" "EUC-JP"] i (range 3000)]
    (let [b (byte-array [(+ 97 (rem i 3)) (unchecked-byte (+ 128 (.nextInt r 128))) (unchecked-byte (+ 64 (.nextInt r 192))) 98])
          s (String. b cs)]
      (when-not (some #{-113} b) (swap! h (fn [x] (rem (+ (* 31 x) (.hashCode s)) 1000000007))))
      (when (< i 60) (println cs (hex b) (map int s)))))
  (prn @h))
(doseq [b [[0x1b 0x24 0x42 0x24 0x22 0x1b 0x28 0x42 0x61] [0x24 0x22] [0x1b 0x24 0x42 0x24] [0x1b 0x28 0x49 0x31] [0x80 0x61] [0x1b 0x61] [0x1b 0x24 0x40 0x30 0x21] [0x1b 0x24 0x42 0x24 0x22 0x0a 0x24 0x22]]]
  (println (hex b) (map int (String. (byte-array (map unchecked-byte b)) "ISO-2022-JP"))))
(println (hash (apply str (for [i (range 0x3000 0x9fff)] (hex (.getBytes (str (char i)) "Shift_JIS"))))))
(println (hash (apply str (for [i (range 0x100 0x2fff)] (hex (.getBytes (str (char i)) "Shift_JIS"))))))
(println (hash (apply str (for [i (range 0x3000 0x9fff)] (hex (.getBytes (str (char i)) "ISO-2022-JP"))))))
