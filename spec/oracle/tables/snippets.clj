;; Snippets of the kind programmers and language models write.
(let [xs [3 1 4 1 5 9 2 6]]
  {:sum (reduce + xs)
   :max (apply max xs)
   :sorted (sort xs)
   :avg (/ (reduce + xs) (count xs))})
(let [s "the rain in spain"]
  (->> (str/split s #" ")
       (map str/capitalize)
       (str/join " ")))
(loop [n 10 acc []]
  (if (zero? n)
    acc
    (recur (dec n) (conj acc n))))
(defn factorial [n]
  (if (<= n 1)
    1
    (* n (factorial (dec n)))))
(do
  (defn factorial [n] (if (<= n 1) 1 (* n (factorial (dec n)))))
  (map factorial (range 10)))
(let [people [{:name "Ann" :age 31} {:name "Bob" :age 25} {:name "Cyd" :age 31}]]
  (->> people
       (group-by :age)
       (map (fn [[age ps]] [age (mapv :name ps)]))
       (into (sorted-map))))
(let [inventory {:apples 5 :pears 0 :plums 12}]
  (for [[item n] inventory
        :when (pos? n)]
    (str n " " (name item))))
(reduce (fn [acc word]
          (update acc (count word) (fnil conj []) word))
        {}
        ["a" "bb" "cc" "d" "eee"])
(let [m {:a {:b {:c 1}}}]
  [(get-in m [:a :b :c])
   (get-in m [:a :x :c] :missing)
   (-> m (assoc-in [:a :b :d] 2) (update-in [:a :b :c] inc))])
(->> (range 1 100)
     (filter #(zero? (mod % 3)))
     (remove even?)
     (map #(* % %))
     (take 5)
     vec)
(let [parse (fn [s]
              (let [[_ k v] (re-matches #"(\w+)=(\d+)" s)]
                (when k [(keyword k) (parse-long v)])))]
  (into {} (keep parse) ["a=1" "bad" "b=22"]))
(letfn [(gcd [a b] (if (zero? b) a (recur b (mod a b))))
        (lcm [a b] (/ (* a b) (gcd a b)))]
  [(gcd 12 18) (lcm 4 6) (reduce lcm (range 1 11))])
(try
  (let [x (Integer/parseInt "12a")]
    x)
  (catch NumberFormatException e
    (str "bad number: " (.getMessage e))))
(let [state (atom {:count 0 :log []})]
  (doseq [x [1 2 3]]
    (swap! state (fn [s] (-> s (update :count + x) (update :log conj x)))))
  @state)
(let [matrix [[1 2 3] [4 5 6] [7 8 9]]]
  {:transpose (apply mapv vector matrix)
   :diag (map-indexed (fn [i row] (nth row i)) matrix)
   :sum (reduce + (flatten matrix))})
(let [fib (fn fib [n] (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))]
  (mapv fib (range 15)))
(->> "hello world"
     (filter #(Character/isLetter %))
     frequencies
     (sort-by (juxt (comp - val) key))
     (take 3))
(let [[head & tail] [1 2 3 4]
      {:keys [x y] :or {y 10}} {:x 5}]
  (+ head (count tail) x y))
(cond
  (> 1 2) "impossible"
  (= "a" "b") "no"
  :else "fallback")
(let [op :mul a 6 b 7]
  (case op
    :add (+ a b)
    :sub (- a b)
    :mul (* a b)
    (throw (ex-info "unknown op" {:op op}))))
(let [temps {:mon 21.5 :tue 19.0 :wed 24.25}]
  (reduce-kv (fn [m day t] (assoc m day (Math/round (+ 32 (* t 1.8))))) {} temps))
(do (defn collatz [n]
      (take-while #(not= 1 %) (iterate #(if (even? %) (/ % 2) (inc (* 3 %))) n)))
    (concat (collatz 6) [1]))
(let [stack (-> () (conj 1) (conj 2) (conj 3))]
  [(peek stack) (pop stack) (count stack)])
(let [q (-> clojure.lang.PersistentQueue/EMPTY (conj :a) (conj :b) (conj :c))]
  [(peek q) (seq (pop q)) (count q)])
(with-out-str
  (doseq [i (range 1 4)]
    (println i "squared is" (* i i))))
(doseq [[k v] (sorted-map :b 2 :a 1)]
  (println (name k) "->" v))
(dotimes [i 3]
  (print i)
  (when (< i 2) (print ", ")))
(let [caesar (fn [n s]
               (apply str (map #(if (Character/isLetter %)
                                  (char (+ 97 (mod (+ n (- (int %) 97)) 26)))
                                  %) s)))]
  [(caesar 3 "abc xyz") (caesar -3 (caesar 3 "abc xyz"))])
(let [binary (fn [n] (loop [n n acc ()] (if (zero? n) (apply str acc) (recur (quot n 2) (conj acc (rem n 2))))))]
  (map binary [1 5 8 255]))
(let [primes (fn [n] (filter (fn [x] (not-any? #(zero? (rem x %)) (range 2 x))) (range 2 n)))]
  (primes 30))
(let [compose (fn [& fs] (reduce (fn [f g] #(f (g %))) fs))]
  ((compose inc #(* 2 %) dec) 5))
(some->> [{:id 1 :tags ["x"]} {:id 2 :tags ["y" "z"]}]
         (filter #(some #{"z"} (:tags %)))
         first
         :id)
(let [xs (range 10)]
  {:evens (filterv even? xs) :odds (filterv odd? xs) :split (split-at 5 xs) :parts (partition 3 xs) :all (partition-all 3 xs)})
(let [a [1 2 3] b [4 5 6]]
  [(map + a b) (reduce + (map * a b)) (mapv vector a b) (zipmap a b) (interleave a b)])
(as-> {:items [1 2 3]} $
  (update $ :items conj 4)
  (assoc $ :n (count (:items $)))
  (select-keys $ [:n]))
(let [users {1 {:name "ann" :friends #{2 3}} 2 {:name "bob" :friends #{1}} 3 {:name "cy" :friends #{}}}]
  (for [[id {:keys [name friends]}] (sort users)
        :let [n (count friends)]
        :when (pos? n)]
    [id name n]))
(let [text "one two three two one two"]
  (->> (re-seq #"\w+" text)
       frequencies
       (sort-by val >)
       first))
(do (defmulti area :shape)
    (defmethod area :circle [{:keys [r]}] (* r r))
    (defmethod area :square [{:keys [side]}] (* side side))
    (defmethod area :default [s] (str "unknown " (:shape s)))
    (map area [{:shape :circle :r 3} {:shape :square :side 2} {:shape :hexagon}]))
(do (defrecord Point [x y])
    (let [p (->Point 1 2)]
      [(:x p) (assoc p :x 10) (map->Point {:x 5 :y 6}) (= p (->Point 1 2)) (into {} p)]))
(do (defprotocol Greet (hi [this]))
    (defrecord En [n] Greet (hi [_] (str "Hello " n)))
    (defrecord Fr [n] Greet (hi [_] (str "Bonjour " n)))
    (mapv hi [(->En "Bob") (->Fr "Luc")]))
(let [counter (atom 0)
      next-id! #(swap! counter inc)]
  [(next-id!) (next-id!) (next-id!) @counter])
(let [memo-fib (memoize (fn [n] (loop [a 0 b 1 i 0] (if (= i n) a (recur b (+ a b) (inc i))))))]
  (map memo-fib [10 20 50 90]))
(reduce (fn [{:keys [balance] :as acct} [op amt]]
          (case op
            :deposit (assoc acct :balance (+ balance amt))
            :withdraw (if (< balance amt) (update acct :errors conj amt) (assoc acct :balance (- balance amt)))))
        {:balance 0 :errors []}
        [[:deposit 100] [:withdraw 30] [:withdraw 500] [:deposit 5]])
(->> [[:a 1] [:b 2] [:a 3]]
     (group-by first)
     (reduce-kv (fn [m k vs] (assoc m k (mapv second vs))) {}))
(let [v [5 3 8 1]]
  (loop [i 0 best nil]
    (if (= i (count v))
      best
      (recur (inc i) (if (or (nil? best) (< (v i) (v best))) i best)))))
(apply str (for [c "Hello"] (if (Character/isUpperCase c) (Character/toLowerCase c) (Character/toUpperCase c))))
(let [roman {\I 1 \V 5 \X 10 \L 50 \C 100}
      vals (map roman "XLIV")]
  (reduce + (map (fn [a b] (if (< a b) (- a) a)) vals (concat (rest vals) [0]))))
(let [is-palindrome? (fn [s] (let [c (filter #(Character/isLetterOrDigit %) (str/lower-case s))] (= c (reverse c))))]
  (map is-palindrome? ["Racecar" "hello" "No lemon, no melon"]))
(let [rle (fn [s] (apply str (mapcat #(vector (count %) (first %)) (partition-by identity s))))]
  (rle "aaabbc"))
(let [flatten-keys (fn fk ([m] (fk [] m)) ([p m] (if (map? m) (into {} (mapcat (fn [[k v]] (fk (conj p k) v)) m)) {p m})))]
  (flatten-keys {:a {:b 1 :c {:d 2}} :e 3}))
(let [inc-all (fn [m] (update-vals m inc))]
  (inc-all {:a 1 :b 2}))
(let [words ["apple" "banana" "avocado" "blueberry" "cherry"]]
  (into (sorted-map) (update-vals (group-by first words) count)))
(let [pairs (for [a (range 1 7) b (range 1 7)] (+ a b))]
  (into (sorted-map) (frequencies pairs)))
(if-let [[_ user domain] (re-matches #"(.+)@(.+)" "joe@example.com")]
  {:user user :domain domain}
  :invalid)
(when-let [n (parse-long "42")]
  (* n 2))
(if-let [n (parse-long "4x2")]
  (* n 2)
  :not-a-number)
(let [{:keys [a b] :as m} {:a 1 :b 2 :c 3}
      others (dissoc m :a :b)]
  [a b others])
(->> (iterate (fn [[a b]] [b (+ a b)]) [0 1])
     (map first)
     (take-while #(< % 100))
     (filter even?)
     (reduce +))
(let [digits (fn [n] (map #(Character/digit % 10) (str n)))]
  (filter #(= % (reduce + (map (fn [d] (* d d d)) (digits %)))) (range 100 500)))
(let [db (atom {})
      save! (fn [k v] (swap! db assoc k v) k)]
  (save! :a 1)
  (save! :b 2)
  (into (sorted-map) @db))
(try
  (throw (ex-info "Not found" {:status 404 :path "/x"}))
  (catch clojure.lang.ExceptionInfo e
    (let [{:keys [status path]} (ex-data e)]
      (str status " " path " " (ex-message e)))))
(let [safe (fn [f & args] (try (apply f args) (catch Exception e (keyword (.getSimpleName (class e))))))]
  [(safe / 1 0) (safe inc nil) (safe + 1 2) (safe nth [] 3) (safe #(Long/parseLong %) "z")])
(let [depth (fn depth [t] (if (sequential? t) (inc (apply max 0 (map depth t))) 0))]
  (map depth [1 [] [1 [2]] [[[]] 1]]))
(let [t {:v 1 :kids [{:v 2 :kids []} {:v 3 :kids [{:v 4 :kids []}]}]}]
  (map :v (tree-seq (comp seq :kids) :kids t)))
(walk/postwalk (fn [x] (if (and (map? x) (:price x)) (update x :price #(* 2 %)) x))
               {:items [{:price 5} {:price 7 :extra {:price 1}}]})
(set/difference (set (map :id [{:id 1} {:id 2} {:id 3}])) #{2})
(let [schema {:name string? :age pos-int?}
      validate (fn [m] (for [[k p] schema :when (not (p (get m k)))] k))]
  [(validate {:name "x" :age 3}) (validate {:name 5 :age -1})])
(let [fsm {:idle {:start :running} :running {:pause :paused :stop :idle} :paused {:resume :running}}]
  (reductions (fn [s e] (get-in fsm [s e] s)) :idle [:start :pause :bogus :resume :stop]))
(let [tokens (re-seq #"\d+|[-+*/]" "12+34*2")]
  (map #(or (parse-long %) (keyword %)) tokens))
(let [rpn (fn [s] (first (reduce (fn [st t] (if-let [f ({"+" + "-" - "*" *} t)] (let [[b a & r] st] (conj r (f a b))) (conj st (parse-long t)))) () (str/split s #" "))))]
  [(rpn "3 4 + 2 *") (rpn "5 1 2 + 4 * + 3 -")])
(format "%-10s|%5d|%8.2f" "widget" 42 3.14159)
(str/join "\n" (for [[n p] [["tea" 1.5] ["coffee" 2.75]]] (format "%-8s %6.2f" n p)))
(let [pad (fn [s n] (str s (apply str (repeat (- n (count s)) "."))))]
  (map #(pad % 8) ["a" "bcd" ""]))
(let [xs [1 2 3 4 5 6]]
  (transduce (comp (filter even?) (map #(* % 10))) + xs))
(into {} (comp (filter (fn [[_ v]] (odd? v))) (map (fn [[k v]] [(name k) v]))) {:a 1 :b 2 :c 3})
(sequence (comp (map inc) (partition-all 2) (map #(reduce + %))) (range 7))
(let [window (partition 3 1 [1 2 3 4 5])]
  (map #(/ (reduce + %) 3) window))
(let [cumsum (reductions + [1 2 3 4])
      diffs (map - (rest cumsum) cumsum)]
  [cumsum diffs])
(let [ranked (map-indexed (fn [i [n s]] {:rank (inc i) :name n :score s}) (sort-by second > {"ann" 3 "bob" 9 "cyd" 5}))]
  (mapv (juxt :rank :name) ranked))
(let [acc (volatile! [])]
  (run! #(vswap! acc conj (* % %)) (range 4))
  @acc)
(binding [*print-length* 3]
  (pr-str (range 10)))
(let [f (fn [& {:keys [sep] :or {sep ","}}] (str/join sep [1 2 3]))]
  [(f) (f :sep "-")])
(do (def ^:dynamic *level* 0)
    (defn nest [] (if (< *level* 3) (binding [*level* (inc *level*)] (nest)) *level*))
    [(nest) *level*])
(do (defmacro my-unless [c & body] `(when-not ~c ~@body))
    [(my-unless false 1 2) (my-unless true 1)])
(do (defmacro swap-it! [a f & args] `(swap! ~a ~f ~@args))
    (let [a (atom 1)] (swap-it! a + 2 3) @a))
(let [xs (lazy-seq (cons 1 (lazy-seq (cons 2 nil))))]
  [(first xs) (count xs) (vec xs)])
(let [chunk (fn [n xs] (loop [xs xs out []] (if (seq xs) (recur (drop n xs) (conj out (vec (take n xs)))) out)))]
  (chunk 2 [1 2 3 4 5]))
(let [quicksort (fn qs [[p & xs]] (if p (concat (qs (filter #(<= % p) xs)) [p] (qs (filter #(> % p) xs))) []))]
  (quicksort [3 6 1 8 2 9 2]))
(let [counts (reduce #(update %1 %2 (fnil inc 0)) {} (map #(mod % 3) (range 10)))]
  (sort counts))
(let [lookup (into {} (map (juxt :id identity)) [{:id 1 :n "a"} {:id 2 :n "b"}])]
  [(get-in lookup [2 :n]) (keys lookup)])
(let [merge-deep (fn md [& ms] (apply merge-with (fn [a b] (if (every? map? [a b]) (md a b) b)) ms))]
  (merge-deep {:a {:x 1 :y {:p 1}}} {:a {:y {:q 2}} :b 3}))
(let [s "a,b;c d"]
  (remove str/blank? (str/split s #"[,; ]")))
(let [kv (fn [line] (mapv str/trim (str/split line #":" 2)))]
  (into {} (map kv) ["host: localhost" "url: http://x:80" "empty:"]))
(str/replace "Hello World" #"[aeiou]" (fn [v] (str "<" v ">")))
(let [snake (fn [s] (str/lower-case (str/replace s #"([a-z0-9])([A-Z])" "$1_$2")))]
  (map snake ["helloWorld" "HTTPServer" "x1Y2"]))
(let [title (fn [s] (str/replace s #"\b\w" str/upper-case))]
  (title "the quick brown-fox"))
(let [trunc (fn [s n] (if (> (count s) n) (str (subs s 0 (- n 3)) "...") s))]
  (map #(trunc % 8) ["short" "a very long string"]))
(let [vowels #{\a \e \i \o \u}
      {v true c false} (group-by (comp boolean vowels) "programming")]
  [(count v) (count c)])
(loop [lo 0 hi 100 guesses []]
  (let [mid (quot (+ lo hi) 2)]
    (cond (= mid 37) (conj guesses mid)
          (< mid 37) (recur (inc mid) hi (conj guesses mid))
          :else (recur lo (dec mid) (conj guesses mid)))))
(let [hanoi (fn h [n a b c] (if (zero? n) 0 (+ (h (dec n) a c b) 1 (h (dec n) c b a))))]
  (map #(hanoi % :a :b :c) (range 6)))
(let [ack (fn a [m n] (cond (zero? m) (inc n) (zero? n) (a (dec m) 1) :else (a (dec m) (a m (dec n)))))]
  (ack 2 3))
(let [powers (take 10 (iterate #(* 2 %) 1))]
  [(last powers) (reduce + powers)])
(let [nums (map parse-long (re-seq #"-?\d+" "move 3 from -12 to 7"))]
  {:nums nums :sum (reduce + nums)})
(let [grid (for [y (range 3)] (apply str (for [x (range 3)] (if (= x y) "#" "."))))]
  (str/join "\n" grid))
(let [spiral? (fn [n] (reduce (fn [acc i] (conj acc (+ (peek acc) (* 2 i)))) [1] (range 1 n)))]
  (spiral? 5))
(let [change (fn [n] (reduce (fn [[out left] c] [(assoc out c (quot left c)) (rem left c)]) [{} n] [25 10 5 1]))]
  (change 68))
(let [xs [1 1 2 3 3 3]]
  {:dedupe (dedupe xs) :distinct (distinct xs) :freq (frequencies xs) :groups (partition-by identity xs)})
(let [a {:x 1 :y 2} b {:y 3 :z 4}]
  {:merge (merge a b) :with (merge-with + a b) :common (filter (set (keys a)) (keys b))})
(let [order [:small :medium :large]
      idx (zipmap order (range))]
  (sort-by idx [:large :small :medium :small]))
(let [parse-bool #(case (str/lower-case %) ("yes" "true" "1") true ("no" "false" "0") false nil)]
  (map parse-bool ["Yes" "0" "maybe" "TRUE"]))
(let [clamp (fn [lo hi x] (-> x (max lo) (min hi)))]
  (map (partial clamp 0 10) [-5 5 15]))
(let [avg (fn [& xs] (/ (apply + xs) (double (count xs))))]
  [(avg 1 2 3 4) (avg 5)])
(let [stats (juxt count #(reduce + %) #(apply min %) #(apply max %))]
  (stats [4 8 15 16 23 42]))
(let [people [{:n "A" :a 30} {:n "B" :a 20}]
      older (fn [p] (update p :a inc))]
  (mapv (comp :a older) people))
(let [events [{:t 1 :e :login :u "a"} {:t 2 :e :click :u "a"} {:t 3 :e :login :u "b"} {:t 4 :e :logout :u "a"}]]
  (reduce (fn [online {:keys [e u]}] (case e :login (conj online u) :logout (disj online u) online)) #{} events))
(let [path (fn [parents n] (reverse (take-while some? (iterate parents n))))]
  (path {:d :c :c :b :b :a} :d))
(let [edges [[:a :b] [:b :c] [:a :c]]
      adj (reduce (fn [m [x y]] (-> m (update x (fnil conj #{}) y) (update y (fnil conj #{}) x))) {} edges)]
  (into (sorted-map) (update-vals adj sort)))
(let [tree [:+ 1 [:* 2 3] [:- 10 4]]
      ev (fn ev [t] (if (vector? t) (apply ({:+ + :* * :- -} (first t)) (map ev (rest t))) t))]
  (ev tree))
(let [bits (fn [n] (map #(if (bit-test n %) 1 0) (range 7 -1 -1)))]
  (map (comp (partial apply str) bits) [5 170]))
(let [hex (fn [s] (map #(Integer/parseInt % 16) (re-seq #".." s)))]
  (hex "ff8000"))
(let [checksum (fn [s] (mod (reduce + (map-indexed (fn [i c] (* (inc i) (int c))) s)) 97))]
  (map checksum ["abc" "acb" ""]))
(let [leap? #(and (zero? (mod % 4)) (or (pos? (mod % 100)) (zero? (mod % 400))))]
  (filter leap? [1900 1996 2000 2023 2024]))
(let [fmt-time (fn [s] (format "%02d:%02d:%02d" (quot s 3600) (quot (mod s 3600) 60) (mod s 60)))]
  (map fmt-time [0 61 3661 86399]))
(let [interest (fn [p r n] (reduce (fn [b _] (* b (+ 1 r))) p (range n)))]
  (format "%.2f" (interest 1000.0 0.05 10)))
(let [c->f #(+ 32.0 (/ (* 9 %) 5))]
  (map c->f [0 100 -40 37.5]))
(let [dist (fn [[x1 y1] [x2 y2]] (Math/sqrt (+ (Math/pow (- x2 x1) 2) (Math/pow (- y2 y1) 2))))]
  [(dist [0 0] [3 4]) (dist [1 1] [1 1])])
(let [scores {"ann" [90 80] "bob" [70]}]
  (into (sorted-map) (for [[k v] scores] [k (double (/ (reduce + v) (count v)))])))
(let [sq (fn [x] (* x x))
      sum-sq (comp (partial reduce +) (partial map sq))]
  (sum-sq [1 2 3]))
(let [items (vec (range 5))
      swap (fn [v i j] (assoc v i (v j) j (v i)))]
  (-> items (swap 0 4) (swap 1 3)))
(let [remove-at (fn [v i] (into (subvec v 0 i) (subvec v (inc i))))
      insert-at (fn [v i x] (into (conj (subvec v 0 i) x) (subvec v i)))]
  [(remove-at [1 2 3] 1) (insert-at [1 2 3] 1 :x)])
(let [rotate (fn [n xs] (let [n (mod n (count xs))] (concat (drop n xs) (take n xs))))]
  [(rotate 2 [1 2 3 4 5]) (rotate -1 [1 2 3])])
(let [pairs (fn [xs] (for [i (range (count xs)) j (range (inc i) (count xs))] [(nth xs i) (nth xs j)]))]
  (pairs [:a :b :c]))
(let [index-of (fn [x xs] (first (keep-indexed #(when (= x %2) %1) xs)))]
  [(index-of :b [:a :b]) (index-of :z [:a])])
(let [transposed (apply map list ["abc" "def"])]
  (map #(apply str %) transposed))
(let [log (atom [])
      traced (fn [nm f] (fn [& args] (swap! log conj [nm args]) (apply f args)))]
  [((traced :add +) 1 2) ((traced :str str) "a") @log])
(let [a (atom 10)]
  (add-watch a :log (fn [_ _ old new] (println "changed" old "to" new)))
  (swap! a inc)
  (reset! a 0)
  (remove-watch a :log)
  (swap! a inc))
(let [d (delay (println "computing") 42)]
  (println "before")
  [@d @d])
(trampoline (fn bounce [n acc] (if (zero? n) acc #(bounce (dec n) (+ acc n)))) 1000 0)
(let [find-dups (fn [xs] (->> xs frequencies (filter #(> (val %) 1)) (map key) sort))]
  (find-dups [1 2 3 2 4 3]))
(let [nested [1 [2 [3 [4]]]]
      my-flatten (fn f [x] (if (coll? x) (mapcat f x) [x]))]
  (my-flatten nested))
(let [x 5]
  (cond-> {:n x}
    (odd? x) (assoc :parity :odd)
    (even? x) (assoc :parity :even)
    (> x 3) (update :n * 10)))
(let [config (merge {:host "localhost" :port 80} {:port 8080} nil)]
  (str (:host config) ":" (:port config)))
(let [[x y :as point] [3 4]
      {px 0 py 1} point]
  (= [x y] [px py]))
(let [{[first-item] :items total :total :or {total 0}} {:items ["a" "b"]}]
  [first-item total])
(map (fn [{:keys [qty price] :or {qty 1}}] (* qty price)) [{:qty 2 :price 5} {:price 7}])
(every? (fn [[a b]] (<= a b)) (partition 2 1 [1 2 2 5]))
(apply = (map count ["abc" "def" "ghi"]))
(let [sum 0] (doseq [x [1 2 3]] (+ sum x)) sum)
(let [coll (list 1 2 3)] (conj coll 0))
(let [coll [1 2 3]] (conj coll 4))
(let [m {}] (assoc m :k "v") m)
(filter (comp pos? :qty) [{:qty 0} {:qty 3}])
(map #(assoc % :total (* (:qty %) (:price %))) [{:qty 2 :price 3}])
(sort-by (juxt :last :first) [{:first "B" :last "Z"} {:first "A" :last "Z"} {:first "C" :last "A"}])
(str "Total: " (reduce + [1.5 2.5]) " items: " (count [1 2]))
(println "Sum:" (+ 1 2) "List:" '(1 2) "Map:" {:a "x"})
(let [n 7] (println (str n " is " (if (odd? n) "odd" "even"))))
(println (format "%.2f" 3.14159) (str 3.0) (str 3) (/ 7 2) (double 7/2))
(mapv (fn [n] (cond (zero? (mod n 15)) :fizzbuzz (zero? (mod n 5)) :buzz (zero? (mod n 3)) :fizz :else n)) (range 1 16))
(-> "  Some Text  " str/trim str/lower-case (str/split #"\s+") last)
(->> ["b" "a" "c"] (map-indexed vector) (sort-by second) (map first))
(let [s "hello"] (= s (apply str (reverse (reverse s)))))
(vals (select-keys {:a 1 :b 2 :c 3} [:a :c]))
(apply merge-with into [{:a [1]} {:a [2] :b [3]}])
(for [i (range 1 4) j (range 1 4) :when (< i j)] {:pair [i j] :product (* i j)})
(nth (iterate (fn [s] (str s (count s))) "x") 4)
(take 5 (map (fn [n] (/ (* n (inc n)) 2)) (rest (range))))
(count (filter #(= \a %) "banana"))
(let [xs [10 20 30]] (map-indexed (fn [i x] (str i ":" x)) xs))
(let [f #(if (> % 0) :pos :non-pos)] (group-by f [-1 0 1 2]))
(reduce (fn [acc [k v]] (if (contains? acc k) acc (assoc acc k v))) {} [[:a 1] [:a 2] [:b 3]])
(let [cache (atom {}) calls (atom 0) slow (fn [x] (swap! calls inc) (* x x)) fast (fn [x] (if-let [v (@cache x)] v (let [v (slow x)] (swap! cache assoc x v) v)))]
  [(fast 3) (fast 3) (fast 4) @calls])
(let [xs [[:a 1] [:b 2]]] (into {} xs))
(apply hash-map (interleave [:a :b] [1 2]))
(let [lines ["# c" "x = 1" "" "y = 2"]] (into {} (comp (remove #(or (str/blank? %) (str/starts-with? % "#"))) (map #(str/split % #"\s*=\s*"))) lines))
(loop [a 0 b 1 out []] (if (> a 50) out (recur b (+ a b) (conj out a))))
(letfn [(even2? [n] (or (zero? n) (odd2? (dec n)))) (odd2? [n] (and (pos? n) (even2? (dec n))))] (map even2? (range 4)))
(let [t (fn [f x] (try (f x) (catch ArithmeticException _ :div0) (catch NullPointerException _ :npe) (finally nil)))] [(t #(/ 1 %) 0) (t inc nil) (t inc 1)])
(let [r (range 1 6)] [(reduce * r) (apply * r) (reductions * r)])
(str/join ", " (map (fn [[k v]] (str (name k) "=" v)) (sort {:b 2 :a 1})))
(let [w (str/split "to be or not to be" #" ")] [(count w) (count (set w)) (first (sort-by (comp - count) w))])
(into #{} (mapcat (fn [n] (filter #(zero? (rem n %)) (range 1 (inc n)))) [6 10]))
(let [[min-x max-x] (apply (juxt min max) [3 9 1])] (- max-x min-x))
(let [votes [:a :b :a :c :b :a]] (key (apply max-key val (frequencies votes))))
(map (fn [x] (condp > x 13 :child 20 :teen 65 :adult :senior)) [5 15 40 80])
(let [p (promise)] (deliver p :done) @p)
(vec (sort-by - (distinct (concat [3 1] [2 3]))))
(update {:xs [1 2]} :xs (partial mapv inc))
(update-in {:a [{:n 1} {:n 2}]} [:a 1 :n] * 100)
(map (juxt :a (comp count :b)) [{:a 1 :b [1 2]} {:a 2 :b []}])
(reduce (fn [s f] (f s)) 5 [inc #(* 2 %) str])
(let [{evens true odds false} (group-by even? (range 6))] {:e evens :o odds})
(keep (fn [[k v]] (when (> v 1) k)) (sort (frequencies "abracadabra")))
(let [inv (set/map-invert {:a 1 :b 2})] (inv 2))
(mapcat (fn [[k n]] (repeat n k)) (sort {:x 2 :y 1}))
(let [m (zipmap [:a :b :c] (range))] (reduce + (vals m)))
(let [m {:b 1 :a 2}] [(sort m) (sort-by val m) (keys m) (first m)])
(doall (for [x [1 2]] (do (println "x" x) (* x 10))))
(do (println "side") (run! println [1 2]) :ok)
(let [xs '(1 2 3)] (if (seq xs) (/ (apply + xs) (count xs)) 0))
(let [s (seq {})] (if s :some :none))
(let [x nil] (or x "default"))
(let [v [1 2 3]] (get v 10 :oob))
(let [v [1 2 3]] (try (v 10) (catch IndexOutOfBoundsException e :oob)))
(let [m {:a 1}] (m :b :none))
(let [k :name] (k {:name "x"}))
(#(str %1 "-" %2) "a" "b")
((fn [x & more] (cons x (reverse more))) 1 2 3)
(map #(apply + %) [[1 2] [3 4 5]])
(let [x 10 y 3] {:quot (quot x y) :rem (rem x y) :ratio (/ x y) :dbl (double (/ x y)) :mod (mod (- x) y)})
(Math/round 2.5)
[(int 3.7) (Math/floor 3.7) (Math/ceil 3.2) (Math/round 3.5) (long 3.99)]
(let [n 12345] (reduce + (map #(- (int %) (int \0)) (str n))))
(let [n 1234] (parse-long (str/reverse (str n))))
(apply + (map #(Integer/parseInt (str %)) "12345"))
(map #(Character/getNumericValue %) "907")
(let [email "a@b.co"] (boolean (re-matches #"[^@]+@[^@]+\.[a-z]+" email)))
(map #(re-find #"\d+" %) ["a1" "b" "c33"])
(str/replace "2024-01-15" #"(\d+)-(\d+)-(\d+)" "$2/$3/$1")
(str/split "a1b2c3" #"\d")
(sort (str/split "banana" #""))
(apply str (sort "hello"))
(apply str (distinct "mississippi"))
(frequencies (map count ["a" "bb" "cc"]))
(partition-by #(= % :sep) [1 2 :sep 3 :sep 4])
(take-while (complement zero?) [3 2 0 1])
(let [[a b] (split-with #(< % 3) [1 2 3 4 1])] [a b])
(interpose :and [1 2 3])
(some #(when (even? %) (* % %)) [1 3 4])
(not-any? neg? [1 2])
(last (sort-by count ["aa" "b" "ccc"]))
(second (sort > [5 1 4]))
(max-key count "aa" "bbb" "c")
(-> (range 5) reverse vec (subvec 1 3))
(assoc {:a 1} :b 2 :c 3)
(dissoc {:a 1 :b 2} :a)
(contains? [1 2 3] 3)
(some #{3} [1 2 3])
(empty? {})
(count "hello")
(str :a 'b "c" 1 nil)
(name :foo/bar)
(keyword "x")
(type 1)
(= [1 2] '(1 2))
(identical? "a" "a")
(nil? ())
(boolean ())
(let [tasks [{:id 1 :deps []} {:id 2 :deps [1]} {:id 3 :deps [1 2]}]
      ready (fn [done] (filter #(and (not (done (:id %))) (every? done (:deps %))) tasks))]
  (loop [done #{} order []]
    (if-let [t (first (ready done))]
      (recur (conj done (:id t)) (conj order (:id t)))
      order)))
(let [gen (fn [seed] (mod (+ (* 75 seed) 74) 65537))]
  (->> (iterate gen 1) (map #(mod % 6)) (take 12) frequencies (into (sorted-map))))
(let [parse-row (fn [row] (let [[n a] (str/split row #"\|")] {:name (str/trim n) :age (parse-long (str/trim a))}))]
  (->> "ann | 30\nbob | 25" str/split-lines (map parse-row) (sort-by :age) (mapv :name)))
(let [merge-counts (partial merge-with +)
      docs ["a b a" "b c"]]
  (->> docs (map #(frequencies (str/split % #" "))) (reduce merge-counts) (into (sorted-map))))
(let [account {:balance 100}
      apply-tx (fn [acc {:keys [type amount]}]
                 (condp = type
                   :deposit (update acc :balance + amount)
                   :withdraw (if (> amount (:balance acc))
                               (reduced (assoc acc :error :insufficient))
                               (update acc :balance - amount))))]
  (reduce apply-tx account [{:type :deposit :amount 50} {:type :withdraw :amount 500} {:type :deposit :amount 1}]))
(let [board [[:x :o :x] [:o :x :o] [:o :x :x]]
      lines (concat board (apply map vector board) [(map-indexed (fn [i r] (r i)) board)])]
  (some (fn [l] (when (apply = l) (first l))) lines))
(let [xs [5 1 4 2 3]
      bubble (fn [v] (reduce (fn [v i] (if (> (v i) (v (inc i))) (assoc v i (v (inc i)) (inc i) (v i)) v)) v (range (dec (count v)))))]
  (nth (iterate bubble xs) (count xs)))
(let [sieve (fn [n] (loop [[p & more] (range 2 n) out []] (if p (recur (remove #(zero? (mod % p)) more) (conj out p)) out)))]
  (sieve 40))
(let [lines ["INFO a" "ERROR b" "INFO c" "WARN d"]
      level #(keyword (str/lower-case (first (str/split % #" "))))]
  (into (sorted-map) (frequencies (map level lines))))
(let [cart [{:item "pen" :qty 3 :price 1.25} {:item "book" :qty 1 :price 12.0}]]
  (doseq [{:keys [item qty price]} cart]
    (println (format "%-6s x%d %6.2f" item qty (* qty price))))
  (format "total %.2f" (reduce + (map #(* (:qty %) (:price %)) cart))))
(let [a (atom {:a 1})
      undo (atom [])]
  (add-watch a :undo (fn [_ _ old _] (swap! undo conj old)))
  (swap! a assoc :b 2)
  (swap! a dissoc :a)
  [@a @undo])
(let [pipeline [[:trim str/trim] [:lower str/lower-case] [:words #(str/split % #"\s+")] [:count count]]]
  (reduce (fn [acc [k f]] (assoc acc k (f (:last acc)) :last (f (:last acc)))) {:last "  The Quick Fox "} pipeline))
(let [m {:users [{:name "a" :roles #{:admin}} {:name "b" :roles #{:dev :ops}}]}]
  (for [{:keys [name roles]} (:users m) r (sort roles)] [name r]))
(let [coords (for [x (range -1 2) y (range -1 2) :when (not (and (zero? x) (zero? y)))] [x y])]
  [(count coords) (set coords)])
(let [wc (fn [s] {:lines (count (str/split-lines s)) :words (count (re-seq #"\S+" s)) :chars (count s)})]
  (wc "hello world\nfoo bar baz\n"))
(do (defn make-adder [n] (fn [x] (+ x n)))
    (let [add5 (make-adder 5) add10 (make-adder 10)]
      [(add5 1) (add10 1) ((comp add5 add10) 0)]))
(do (defn parse-kv [s]
      (->> (str/split s #";")
           (map #(str/split % #"="))
           (reduce (fn [m [k v]] (assoc m (keyword k) v)) {})))
    (parse-kv "a=1;b=2;c=x=y"))
(do (defn walk-tree [f tree] (if (map? tree) (-> tree (update :v f) (update :kids (partial mapv #(walk-tree f %)))) tree))
    (walk-tree inc {:v 1 :kids [{:v 2 :kids []} {:v 3 :kids []}]}))
(do (defn bin-search [v x]
      (loop [lo 0 hi (dec (count v))]
        (when (<= lo hi)
          (let [mid (quot (+ lo hi) 2) y (nth v mid)]
            (cond (= x y) mid (< x y) (recur lo (dec mid)) :else (recur (inc mid) hi))))))
    [(bin-search [1 3 5 7 9] 7) (bin-search [1 3 5] 4) (bin-search [] 1)])
(do (defmulti handle (fn [state [event & _]] event))
    (defmethod handle :add [s [_ x]] (update s :items conj x))
    (defmethod handle :clear [s _] (assoc s :items []))
    (defmethod handle :default [s [e]] (update s :unknown (fnil conj #{}) e))
    (reduce handle {:items []} [[:add 1] [:add 2] [:bogus] [:clear] [:add 3]]))
(do (defrecord Account [id balance])
    (defn transfer [accts from to amt]
      (-> accts (update-in [from :balance] - amt) (update-in [to :balance] + amt)))
    (transfer {1 (->Account 1 100) 2 (->Account 2 0)} 1 2 40))
(do (defprotocol Shape (area [s]) (label [s]))
    (extend-protocol Shape
      clojure.lang.IPersistentMap (area [m] (* (:w m) (:h m))) (label [_] "map")
      Long (area [n] (* n n)) (label [n] (str "square " n)))
    (mapv (juxt label area) [{:w 2 :h 3} 4]))
(do (defn validate [m]
      (reduce (fn [errs [k pred msg]] (if (pred (get m k)) errs (assoc errs k msg)))
              {} [[:name seq "missing"] [:age #(and % (pos? %)) "bad age"]]))
    (map validate [{:name "x" :age 1} {:name "" :age -1} {}]))
(do (defmacro with-default [expr default] `(let [v# ~expr] (if (nil? v#) ~default v#)))
    [(with-default (:a {:a 1}) 9) (with-default (:b {:a 1}) 9) (with-default false 9)])
(do (defmacro repeat-str [n & body] `(apply str (for [_# (range ~n)] (str ~@body))))
    (repeat-str 3 "ab" 1))
(do (def registry (atom {}))
    (defmacro defcmd [nm args & body] `(swap! registry assoc ~(keyword nm) (fn ~args ~@body)))
    (defcmd add [a b] (+ a b))
    (defcmd neg [a] (- a))
    [((:add @registry) 1 2) ((:neg @registry) 5) (sort (keys @registry))])
