(require '[clojure.string :as str])
(defn pig [w]
  (let [[_ cons-part rest-part] (re-matches #"([^aeiou]*)(.*)" w)]
    (str rest-part (if (empty? cons-part) "yay" (str cons-part "ay")))))
(println (str/join " " (map pig (str/split "the quick apple string" #" "))))
(defn title-case [s] (str/join " " (map str/capitalize (str/split s #"\s+"))))
(println (title-case "hELLO  wORLD of clojure"))
(defn palindrome? [s] (let [c (filter #(Character/isLetter %) (str/lower-case s))] (= c (reverse c))))
(println (map palindrome? ["A man, a plan, a canal: Panama" "nope" ""]))
(defn acronym [s] (apply str (map (comp str/upper-case first) (re-seq #"\w+" s))))
(println (acronym "portable network graphics"))
(defn kebab->camel [s] (let [[h & t] (str/split s #"-")] (apply str h (map str/capitalize t))))
(println (kebab->camel "my-long-var-name"))
(defn wrap [width s]
  (loop [[w & more] (str/split s #"\s+") line "" out []]
    (cond (nil? w) (if (str/blank? line) out (conj out line))
          (str/blank? line) (recur more w out)
          (<= (+ (count line) 1 (count w)) width) (recur more (str line " " w) out)
          :else (recur more w (conj out line)))))
(run! println (wrap 20 "The quick brown fox jumped over the lazy dog and ran away"))
(frequencies (filter (set "aeiou") "the quick brown fox"))
