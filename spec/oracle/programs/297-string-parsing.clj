(defn parse-kv [s]
  (->> (clojure.string/split s #"[;,]\s*") (map #(clojure.string/split % #"=" 2))
       (reduce (fn [m [k v]] (assoc m (keyword (clojure.string/trim k)) (or v true))) {})))
(prn (parse-kv "a=1; b=x=y, flag"))
(defn csv-line [line]
  (loop [cs (seq line) field (StringBuilder.) q false out []]
    (if-let [c (first cs)]
      (cond (and (= c \") q (= \" (second cs)))
            (do (.append field \") (recur (nnext cs) field q out)) (= c \")
            (recur (next cs) field (not q) out) (and (= c \,) (not q))
            (recur (next cs) (StringBuilder.) false (conj out (.toString field))) :else
            (do (.append field c) (recur (next cs) field q out)))
      (conj out (str field)))))
(prn (csv-line "a,\"b,c\",\"d\"\"e\",,f"))
(defn roman->int [s]
  (let [m {\I 1 \V 5 \X 10 \L 50 \C 100 \D 500 \M 1000}]
    (->> (map m s) (partition-all 2 1)
         (reduce (fn [acc [a b]] (if (and b (< a b)) (- acc a) (+ acc a))) 0))))
(prn (map roman->int ["III" "XIV" "MCMXCIV"]))
(defn caesar [n s]
  (apply str
         (map
          (fn [c]
            (cond (Character/isUpperCase c) (char (+ 65 (mod (+ n (- (int c) 65)) 26)))
                  (Character/isLowerCase c) (char (+ 97 (mod (+ n (- (int c) 97)) 26))) :else c))
          s)))
(prn (caesar 3 "Hello, World!") (caesar -3 (caesar 3 "xyz")))
(prn
 (->> "the quick the lazy the dog" (re-seq #"\w+") frequencies (sort-by (juxt (comp - val) key))
      (take 3)))
(prn
 (let [[_ y m d] (re-matches #"(\d{4})-(\d\d)-(\d\d)" "2024-03-15")]
   (map #(Integer/parseInt %) [y m d]))
 (map #(Character/getNumericValue %) "12a") (map int "AZ") (apply str (map char [72 105]))
 (clojure.string/join (reverse "abc")) (= "racecar" (apply str (reverse "racecar"))))
(prn (format "%-10s|%8.3f|%06d" "ab" Math/E 42)
     (clojure.string/replace "camelCaseString" #"([A-Z])"
                             (fn [[_ c]] (str "-" (clojure.string/lower-case c))))
     (clojure.string/replace "snake_case_here" #"_(\w)" #(clojure.string/upper-case (second %)))
     (map clojure.string/capitalize ["a" "BC"]) (subs "abc" 3) (.charAt "abc" 1) (nth "abc" 1)
     (get "abc" 5) (first "abc") (rest "abc") (last "abc") (seq "ab") (count "") (empty? "")
     (str \a "b" nil 1) (vec "abc") (sort "hello") (distinct "hello") (frequencies "hello")
     (zipmap "abc" (range)) (partition 2 "abcdef") (interpose \- "abc"))
