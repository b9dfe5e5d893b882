;; Prints collorder.tsv: histories of maps and sets and the order of their entries in
;; JVM Clojure 1.11. regenerate.sh runs it.
;;
;; A line is: start, operations, class, entries. Operations: +key (the value in
;; a map is the number of the operation), -key, ! (to and from transient).
;; Keys: n nil, i integer, s string, k keyword, d double, c character, b boolean,
;; v vector of one integer. Lines that start with "big" have a kind of key, a count
;; and a sum over the order.
(import 'java.util.Random)
(def r (Random. 42))
(defn rnd [n] (.nextInt ^Random r (int n)))
(defn pick [c] (nth c (rnd (count c))))

(def clash (for [a ["Aa" "BB"] b ["Aa" "BB"] c ["Aa" "BB"]] (str a b c)))

(defn key-of [range]
  (case (rnd 12)
    0 nil
    (1 2) (pick clash)
    (3 4 5) (rnd range)
    6 (str "s" (rnd range))
    7 (keyword (str "k" (rnd range)))
    8 (/ (rnd range) 4.0)
    9 (char (+ 97 (rnd 26)))
    10 (if (zero? (rnd 2)) (zero? (rnd 2)) [(rnd range)])
    11 (- (* (rnd range) 1000003))))

(defn show [k]
  (cond (nil? k) "n" (integer? k) (str "i" k) (string? k) (str "s" k) (keyword? k) (str "k" (name k))
        (float? k) (str "d" k) (char? k) (str "c" k) (boolean? k) (str "b" k) (vector? k) (str "v" (first k))))

(def starts
  {"{}" {} "hash" (dissoc (hash-map 1 1) 1) "#{}" #{}
   "array10" (apply array-map (mapcat (fn [i] [i -1]) (range 10)))})


(defn history [start]
  (let [set? (= start "#{}") range (pick [4 20 300]) n (pick [6 12 30 60])]
    (loop [i 0 coll (starts start) trans false ops []]
      (if (= i n)
        (let [coll (if trans (persistent! coll) coll)]
          (println (str start "\t" (apply str (interpose " " ops)) "\t" (.getName (class coll)) "\t"
                        (apply str (interpose " " (if set? (map show coll) (map (fn [[k v]] (str (show k) "=" v)) coll)))))))
        (let [op (pick [:+ :+ :+ :+ :- :- (if (zero? (rnd 3)) :! :+)])
              k (key-of range)]
          (case op
            :! (recur (inc i) (if trans (persistent! coll) (transient coll)) (not trans) (conj ops "!"))
            :+ (recur (inc i)
                      (if set? (if trans (conj! coll k) (conj coll k)) (if trans (assoc! coll k i) (assoc coll k i)))
                      trans (conj ops (str "+" (show k))))
            :- (recur (inc i)
                      (if set? (if trans (disj! coll k) (disj coll k)) (if trans (dissoc! coll k) (dissoc coll k)))
                      trans (conj ops (str "-" (show k))))))))))

(dotimes [_ 250] (history "{}"))
(dotimes [_ 250] (history "hash"))
(dotimes [_ 250] (history "#{}"))
(dotimes [_ 150] (history "array10"))

(defn order-sum [ks]
  (reduce (fn [acc i] (mod (+ (* 31 acc) i) 2147483647)) 7 ks))

(doseq [[kind f] [["i" identity] ["s" #(str "s" %)] ["k" #(keyword (str "k" %))] ["d" #(/ % 4.0)] ["v" vector]]
        n [10 100 1000 20000]]
  (let [index (into {} (map (fn [i] [(f i) i])) (range n))
        m (into {} (map (fn [i] [(f i) i])) (range n))
        s (into #{} (map f) (range n))]
    (println (str "big\t" kind "\t" n "\t" (order-sum (vals m)) "\t" (order-sum (map index s))))))
