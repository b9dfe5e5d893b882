(require '[clojure.string :as str])
(def text "The quick brown fox jumps over the lazy dog. A journey of a thousand miles begins with a single step; extraordinarily-long-compound words are split or left alone.")
(defn wrap [width s]
  (reduce (fn [lines w]
            (let [line (peek lines)]
              (if (and line (<= (+ (count line) 1 (count w)) width))
                (conj (pop lines) (str line " " w))
                (conj lines w))))
          [] (str/split s #"\s+")))
(defn justify [width line]
  (let [words (str/split line #" ") gaps (dec (count words))]
    (if (zero? gaps) line
      (let [space (- width (reduce + (map count words)))
            [q r] ((juxt quot rem) space gaps)
            pads (concat (repeat r (inc q)) (repeat (- gaps r) q) [0])]
        (apply str (mapcat (fn [w p] [w (apply str (repeat p \space))]) words pads))))))
(defn center [width s] (let [n (max 0 (- width (count s))) l (quot n 2)] (str (str/join (repeat l " ")) s (str/join (repeat (- n l) " ")))))
(doseq [w [20 33]]
  (println (str/join (repeat w "-")))
  (let [lines (wrap w text)]
    (doseq [l (butlast lines)] (println (str "|" (justify w l) "|")))
    (println (str "|" (format (str "%-" w "s") (last lines)) "|"))))
(println (str "[" (center 11 "mid") "]" (center 2 "wide")))
(defn lcs [a b]
  (let [a (vec a) b (vec b)
        table (reduce (fn [t [i j]]
                        (assoc t [i j] (if (= (a (dec i)) (b (dec j))) (inc (get t [(dec i) (dec j)] 0))
                                         (max (get t [(dec i) j] 0) (get t [i (dec j)] 0)))))
                      {} (for [i (range 1 (inc (count a))) j (range 1 (inc (count b)))] [i j]))]
    (loop [i (count a) j (count b) out ()]
      (cond
        (and (pos? i) (pos? j) (= (a (dec i)) (b (dec j)))) (recur (dec i) (dec j) (cons [:same (a (dec i))] out))
        (and (pos? j) (or (zero? i) (>= (get table [i (dec j)] 0) (get table [(dec i) j] 0)))) (recur i (dec j) (cons [:add (b (dec j))] out))
        (pos? i) (recur (dec i) j (cons [:del (a (dec i))] out))
        :else out))))
(def before ["a" "b" "c" "d" "e" "f"])
(def after ["a" "c" "x" "d" "f" "g"])
(doseq [[op l] (lcs before after)] (println (case op :same " " :add "+" :del "-") l))
(println (->> (lcs before after) (partition-by first) (map (fn [g] [(ffirst g) (count g)]))))
(println (apply str (map second (filter (comp #{:same} first) (lcs "kitten sitting" "sitting kitten")))))
(def words (re-seq #"[\p{L}'-]+" (str/lower-case text)))
(println (count words) (count (distinct words)) (take 5 (sort-by (juxt (comp - val) key) (frequencies words))))
(println (into (sorted-map) (map (fn [[k v]] [k (count v)])) (group-by count words)))
(println (str/replace text #"(\w+) (\w+)" "$2 $1"))
(println (str/replace "2024-03-09" #"(\d+)-(\d+)-(\d+)" (fn [[_ y m d]] (str d "/" m "/" (subs y 2)))))
(println (str/escape "a<b & c>d" {\< "&lt;" \> "&gt;" \& "&amp;"}) (str/capitalize "hELLO wORLD") (str/trim-newline "x\r\n\n"))
(println (map #(str/split % #",") ["a,b,,c,," "" ",a" "abc"]) (map #(str/split % #"," -1) ["a,b,,c,," ""]) (str/split "a1b22c" #"\d+" 2) (str/split-lines "a\r\nb\n\nc\n"))
(defn title [s] (str/join " " (map-indexed (fn [i w] (if (and (pos? i) (#{"of" "a" "the" "and"} w)) w (str/capitalize w))) (str/split (str/lower-case s) #"\s+"))))
(println (map title ["THE LORD OF THE RINGS" "a tale of two  cities"]))
(defn slug [s] (-> s str/lower-case (str/replace #"[^a-z0-9]+" "-") (str/replace #"^-|-$" "")))
(println (map slug ["Hello, World!" "  --A b--  " "ÄÖ x"]))
(defn camel->kebab [s] (str/lower-case (str/replace s #"([a-z0-9])([A-Z])" "$1-$2")))
(defn kebab->camel [s] (str/replace s #"-(\w)" #(str/upper-case (second %))))
(println (map camel->kebab ["camelCase" "HTTPServer" "aB1C"]) (map kebab->camel ["kebab-case-name" "x" "-a"]))
(println (format "%5d|%-5d|%05d|%,d|%+d|%x|%X|%o|%e|%.3f|%10.2f|%-8s|%8s|%c|%b|%%|%s" 42 42 42 1234567 5 255 255 8 12345.678 3.14159 2.5 "ab" "cd" \z true nil))
(str/join "\n" (map #(format "%-6s%s" (first %) (apply str (repeat (second %) "#"))) (sort-by first (frequencies (map str "mississippi")))))
