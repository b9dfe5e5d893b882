;; Writes tables/composed.clj: expressions of nested calls, made by a grammar from a
;; seed.  Usage: clojure.main compose.clj <seed> <count> <depth> > tables/composed.clj
(ns oracle.compose
  (:require [clojure.string :as str]))

(def terminals
  "The leaves of each type."
  '{int ["0" "1" "-1" "2" "3" "5" "7" "10" "-4" "100" "42"]
    num ["0.5" "-2.5" "1/3" "3" "7" "1e3" "2.0" "10N" "1.5M" "-7/2" "0"]
    str ["\"\"" "\"abc\"" "\"Hello World\"" "\"a,b,,c\"" "\"  pad \"" "\"x\"" "\"one two three\"" "\"12\"" "\"äß\"" "\"aXbX\""]
    kw [":a" ":b" ":c" ":n/k" ":id"]
    ints ["[]" "[3 1 2]" "'(5 4 3 2 1)" "(range 6)" "#{4 1 3}" "[1 1 2 3 5 8]" "nil" "(range 0 20 3)" "[10 -10]" "(list)"
          "(sorted-set 3 1 2)" "(take 5 (iterate inc 1))" "(map inc [1 2 3])"]
    strs ["[\"b\" \"a\" \"c\"]" "[]" "'(\"x\" \"yy\" \"\")" "(str/split \"a b c\" #\" \")" "[\"apple\" \"pie\" \"at\"]" "nil"]
    kws ["[:a :b :c]" "'(:b :a)" "#{:a :c}" "[]" "[:id :a]"]
    m ["{}" "{:a 1 :b 2}" "{:c 3, :a -1}" "(sorted-map :b 1 :a 2)" "{:id 7 :n/k 0 :b 5}" "nil" "(zipmap [:a :b] [10 20])"
       "(array-map :c 1 :b 2 :a 3)"]
    nested ["{:a {:b 1} :c [1 2]}" "[[1 2] [3 [4 5]]]" "{:x nil}" "[1 [2 #{3}] {:a 4}]" "'((1) (2 3) ())" "{:a [1 {:b 2}]}"]
    maps ["[{:a 1 :b 2} {:a 3 :b 1}]" "[]" "[{:id 1 :a 5} {:id 2} {:id 1 :a 7}]" "'({:a 2} {:a 1})"]
    pred ["odd?" "even?" "pos?" "neg?" "zero?" "(fn [it] (> it 2))" "(complement odd?)" "#{1 2 3}" "(fn [x] (< x 4))" "some?"]
    f ["inc" "dec" "-" "identity" "(fn [it] (* it it))" "(partial + 10)" "(comp inc inc)" "(constantly 1)" "(fn [it] (mod it 3))" "(fn [it] (quot it 2))"]
    f2 ["+" "*" "-" "max" "min" "(fn [a b] (+ (* 2 a) b))"]
    any ["nil" "true" "false" "1" "\"s\"" ":k" "[1 2]" "{:a 1}" "#{1}" "'sym" "\\c" "1.5" "()"]})

(def calls
  "The calls that give each type; $type stands for an expression of it."
  '{int ["(+ $int $int)" "(* $int $int)" "(- $int $int)" "(count $ints)" "(count $str)" "(count $m)" "(reduce + $ints)" "(reduce $f2 0 $ints)"
         "(apply max 0 $ints)" "(first (concat $ints [$int]))" "(get $m $kw $int)" "($kw $m 0)" "(quot $int 3)" "(mod $int 5)" "(rem $int 4)"
         "(let [x $int y $int] (if (< x y) x y))" "(bit-and $int 255)" "(abs $int)" "(nth (vec $ints) 0 $int)" "(compare $str $str)"
         "(if $bool $int $int)" "(or $nint $int)" "(transduce (map $f) + $ints)" "(transduce (filter $pred) + 0 $ints)"
         "(loop [n (abs $int) acc 0] (if (pos? n) (recur (dec n) (+ acc n)) acc))" "(case $int 0 10 1 20 (2 3) 30 40)" "(hash $str)"
         "(reduce (fn [a x] (if (> a 5) (reduced a) (+ a x))) 0 $ints)" "(cond-> $int $bool inc (pos? $int) (* 2))" "(-> $int $f $f)"
         "(str/index-of (str $str \"z\") \"z\")" "(reduce-kv (fn [a _ v] (+ a v)) 0 $m)" "(bit-shift-left (mod $int 8) 2)" "(bit-xor $int $int)"]
    nint ["(some (fn [it] (when ($pred it) it)) $ints)" "(first $ints)" "(last $ints)" "(parse-long $str)" "($kw $m)" "(second $ints)" "(peek (vec $ints))"
          "(first (filter $pred $ints))" "(when $bool $int)" "(get-in {:a {:b $int}} [:a $kw])" "(some-> ($kw $m) inc)" "(str/index-of $str $str)"]
    num ["(+ $num $int)" "(* $num $num)" "(- $num)" "(/ $num 4)" "(max $num $int)" "(rationalize 0.5)" "(double $int)" "(bigdec $int)" "(inc $num)"
         "(reduce + $num $ints)" "(Math/sqrt (abs $int))" "(Math/floor $num)" "(rem $num 3)" "(quot $num 2)" "(mod $num 3)" "(long $num)" "(Math/round (double $num))"
         "(/ $int 3)" "(bigint $num)" "(abs $num)" "(+' $int $num)" "(min $num $num)" "(float $int)"]
    str ["(str $any $any)" "(str $ints)" "(str/join \",\" $ints)" "(str/join $strs)" "(str/upper-case $str)" "(str/reverse $str)" "(subs (str $str \"abc\") 1)"
         "(name $kw)" "(pr-str $nested)" "(pr-str $any)" "(apply str (reverse $str))" "(str/replace $str \"a\" $str)" "(str/replace $str #\"[a-c]\" str/upper-case)"
         "(format \"%s-%5d|%-4s|\" $str $int $kw)" "(format \"%.2f\" (double $num))" "(str/capitalize $str)" "(str/trim $str)" "(with-out-str (prn $any $str))"
         "(with-out-str (println $ints $m))" "(apply str (interpose \"-\" $strs))" "(if $bool $str $str)" "(str/replace $str #\"(\\w)(\\w)\" \"$2$1\")"
         "(str $num)" "(print-str $any)" "(str/join (map str $ints))" "(subs $str (min 1 (count $str)))" "(str (keyword $str))" "(with-out-str (doseq [x $ints :when ($pred x)] (print x \"\")))"
         "(reduce str $strs)" "(format \"%05d %x %,d\" (abs $int) (abs $int) $int)" "(str/triml $str)" "(str/escape $str {\\a \"<a>\"})"]
    kw ["(keyword $str)" "(first (concat $kws [:z]))" "(if $bool $kw $kw)" "(keyword \"q\" (name $kw))"]
    bool ["(pos? $int)" "(empty? $ints)" "(contains? $m $kw)" "(every? $pred $ints)" "(some $pred $ints)" "(not $bool)" "(= $any $any)" "(= $ints $ints)"
          "(and $bool $bool)" "(or $bool $bool)" "(not-any? $pred $ints)" "(str/blank? $str)" "(str/includes? $str $str)" "(< $int $int $int)" "(== $num $int)"
          "(nil? $nint)" "(distinct? $int $int)" "(re-find #\"[aeiou]\" $str)" "(sequential? $nested)" "(identical? $kw $kw)" "(= (set $ints) (set $ints))" "(some? $nint)"]
    ints ["(map $f $ints)" "(filter $pred $ints)" "(remove $pred $ints)" "(take 3 $ints)" "(drop 2 $ints)" "(reverse $ints)" "(sort $ints)" "(sort > $ints)" "(distinct $ints)"
          "(concat $ints $ints)" "(into $ints (vec $ints))" "(vec $ints)" "(set $ints)" "(cons $int $ints)" "(conj (vec $ints) $int)" "(rest $ints)" "(next $ints)" "(butlast $ints)"
          "(take-while $pred $ints)" "(drop-while $pred $ints)" "(mapv $f $ints)" "(filterv $pred $ints)" "(interleave $ints $ints)" "(map $f2 $ints $ints)" "(keep (fn [it] (when ($pred it) (* 2 it))) $ints)"
          "(vals $m)" "(mapcat (fn [it] (list it it)) $ints)" "(reductions + $ints)" "(sequence (comp (map $f) (filter $pred)) $ints)" "(into [] (take 2) $ints)" "(for [x $ints :when ($pred x)] ($f x))"
          "(for [x $ints y [1 2] :let [z (+ x y)] :while (< z 9)] z)" "(map-indexed * $ints)" "(keep-indexed (fn [i x] (when (odd? i) x)) $ints)" "(take-nth 2 $ints)" "(dedupe $ints)"
          "(flatten (partition-all 2 $ints))" "(sort-by - $ints)" "(take-last 2 $ints)" "(drop-last $ints)" "(interpose 0 $ints)" "(apply concat (partition 2 1 $ints))" "(subvec (vec (range 5)) 1 4)"
          "(into () $ints)" "(into #{} (map $f) $ints)" "(iterate $f $int)~5" "(repeat (mod $int 4) $int)" "(range (mod $int 7))" "(replace {1 $int} (vec $ints))" "(map (fn [it] (get $m it 0)) $kws)"
          "(map count $strs)" "(mapv int $str)" "(lazy-seq $ints)" "(disj (set $ints) $int)" "(pop (conj (vec $ints) 1))" "(rseq (vec (cons 1 $ints)))" "(nthrest $ints 1)" "(shuffle-not $ints)~id"
          "(rsubseq (into (sorted-set) $ints) < 4)" "(subseq (into (sorted-set) $ints) >= 2)" "(eduction (map $f) $ints)~seq" "(reduce conj () $ints)" "(cycle (cons 1 $ints))~4" "(apply map + [[1 2 3] [4 5 6]])"]
    strs ["(map str $ints)" "(str/split $str #\",\")" "(sort $strs)" "(map str/upper-case $strs)" "(remove empty? $strs)" "(re-seq #\"\\w+\" $str)" "(map name $kws)" "(mapv (fn [s] (str s \"!\")) $strs)"
          "(str/split-lines (str $str \"\\n\" $str))" "(sort-by count $strs)" "(distinct $strs)" "(conj (vec $strs) $str)" "(map str $str)" "(str/split $str #\"\\s+\" 2)" "(partition-all 2 $str)~mapstr"]
    kws ["(keys $m)" "(map keyword $strs)" "(sort $kws)" "(cons $kw $kws)" "(distinct $kws)" "(vec $kws)" "(filter $m $kws)"]
    m ["(assoc $m $kw $int)" "(dissoc $m $kw)" "(merge $m $m)" "(merge-with $f2 $m $m)" "(update $m $kw (fnil $f 0))" "(select-keys $m $kws)" "(into {} $m)" "(zipmap $kws $ints)" "(into (sorted-map) $m)"
       "(update-vals $m $f)" "(into {} (map (fn [[k v]] [k ($f v)])) $m)" "(into {} (filter (comp $pred val)) $m)" "(reduce-kv (fn [a k v] (assoc a k ($f v))) {} $m)" "(conj (or $m {}) [$kw $int])" "(if $bool $m $m)"
       "(reduce (fn [a k] (update a k (fnil inc 0))) {} $kws)" "(frequencies $kws)" "(-> $m (assoc $kw $int) (dissoc $kw))" "(persistent! (assoc! (transient (or $m {})) $kw $int))" "(apply hash-map [$kw $int])" "(set/rename-keys (or $m {}) {:a :z})~none"]
    nested ["(group-by $pred $ints)" "(partition 2 $ints)" "(partition-all 3 $ints)" "(partition-by $pred $ints)" "(split-at 2 $ints)" "(split-with $pred $ints)" "(map vector $ints $strs)" "(group-by count $strs)" "(zipmap $strs $ints)"
            "(frequencies $ints)" "(map (juxt $f $f) $ints)" "(assoc-in {} [:a $kw] $int)" "(update-in {:a {:b 1}} [:a :b] $f)" "(walk/postwalk (fn [it] (if (number? it) ($f it) it)) $nested)" "(walk/prewalk (fn [it] (if (vector? it) (reverse it) it)) $nested)"
            "(map-indexed vector $strs)" "(seq $m)" "(sort-by val (or $m {}))" "(mapv vec (partition 2 $ints))" "(walk/stringify-keys $m)" "(set/difference (set $ints) (set $ints))" "(set/union (set $kws) (set $kws))" "(set/intersection (set $ints) #{1 2 3})"
            "(set/map-invert $m)" "(set/index (set $maps) [:a])" "(set/join (set $maps) #{{:id 1 :q 2}})" "(map (fn [it] (select-keys it $kws)) $maps)" "(sort-by :a $maps)" "(group-by :id $maps)" "(map :a $maps)" "(apply merge-with + $maps)"
            "(reductions conj [] $ints)" "(tree-seq coll? seq $nested)" "(flatten $nested)" "(let [[a b & more] $ints] [a b more])" "(let [{:keys [a b] :or {b $int} :as all} $m] [a b (count all)])" "(for [[k v] $m] [v k])"
            "(split-with $pred (sort $ints))" "(meta (with-meta (vec $ints) {:m $kw}))" "[(first $ints) (peek (vec $ints)) $str]" "(list $any $int)" "{$kw $ints}" "#{$int $str}" "(edn/read-string (pr-str $nested))" "(try (/ $int $int) (catch ArithmeticException e (ex-message e)))"
            "(try (nth (vec $ints) $int) (catch IndexOutOfBoundsException e :out))" "(vec (sort-by (juxt count identity) $strs))" "(reduce (fn [[a b] x] [(+ a x) (max b x)]) [0 0] $ints)" "(into (sorted-map-by >) (map vector $ints $strs))" "(max-key abs $int $int)" "(min-key :a {:a $int} {:a 1})"
            "(hash $nested)" "(compare [$int $int] [$int 1])" "(letfn [(f [n] (if (pos? n) (cons n (f (dec n))) nil))] (f (mod $int 6)))" "(let [a (atom [])] (run! (fn [it] (swap! a conj ($f it))) $ints) @a)" "(mapv (fn [[k v]] (str k v)) $m)" "(empty $nested)" "(not-empty $ints)"]
    maps ["(map (fn [it] (assoc it :z $int)) $maps)" "(sort-by :a > (filter :a $maps))" "(filter :a $maps)" "(mapv (fn [m] (update m :a (fnil $f 0))) $maps)" "(conj $maps $m)~mapset" "(map (fn [i] {:id i :a ($f i)}) $ints)"]
    pred ["(complement $pred)" "(every-pred number? $pred)" "(some-fn $pred zero?)" "(fn [x] (= x $int))" "(comp not $pred)"]
    f ["(comp $f $f)" "(partial * $int)" "(fn [x] (+ x $int))" "(fnil $f 0)" "(fn [it] (max it $int))" "(fn [x] (if ($pred x) ($f x) x))" "(memoize $f)"]
    f2 ["(fn [a b] ($f (+ a b)))" "(fn [a b] (- b a))"]
    any ["$int" "$num" "$str" "$kw" "$ints" "$strs" "$m" "$nested" "$bool" "$maps" "$nint"]})

(def roots '[nested nested nested ints str m num maps strs any])

(defn choose [^java.util.Random rng coll] (nth coll (.nextInt rng (count coll))))

(defn tails
  "A call that is written with a tail is wrapped in what bounds it."
  [text]
  (let [[call tail] (str/split text #"~")]
    (case tail
      nil call
      "5" (str "(take 5 " call ")")
      "4" (str "(take 4 " call ")")
      "seq" (str "(seq " call ")")
      "mapstr" (str "(map (partial apply str) " call ")")
      nil)))

(defn expression [rng type depth]
  (let [options (remove nil? (map tails (calls type)))
        leaf? (or (zero? depth) (and (terminals type) (zero? (.nextInt ^java.util.Random rng 6))))
        text (if (and leaf? (terminals type)) (choose rng (terminals type)) (choose rng (vec options)))]
    (str/replace text #"\$([a-z]+[0-9]?)" (fn [[_ t]] (expression rng (symbol t) (max 0 (dec depth)))))))

(let [[seed n depth] (map parse-long *command-line-args*)
      rng (java.util.Random. seed)]
  (println ";; Made by compose.clj" seed n depth)
  (doseq [e (take n (distinct (repeatedly #(expression rng (choose rng roots) depth))))]
    (println e)))
