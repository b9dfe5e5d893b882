(require '[clojure.string :as str])
(defn dedupe-window [n]
  (fn [rf]
    (let [seen (volatile! clojure.lang.PersistentQueue/EMPTY)]
      (fn ([] (rf)) ([acc] (rf acc))
        ([acc x] (if (some #{x} @seen) acc
                   (do (vswap! seen #(let [q (conj % x)] (if (> (count q) n) (pop q) q))) (rf acc x))))))))
(defn moving-average [n]
  (fn [rf]
    (let [window (volatile! [])]
      (fn ([] (rf)) ([acc] (rf acc))
        ([acc x] (let [w (vswap! window #(vec (take-last n (conj % x))))]
                   (if (= n (count w)) (rf acc (/ (reduce + w) n)) acc)))))))
(defn running [f init]
  (fn [rf] (let [s (volatile! init)] (fn ([] (rf)) ([a] (rf a)) ([a x] (rf a (vswap! s f x)))))))
(defn batch-by-weight [w limit]
  (fn [rf]
    (let [buf (volatile! []) total (volatile! 0)]
      (fn ([] (rf))
        ([acc] (let [acc (if (seq @buf) (unreduced (rf acc @buf)) acc)] (vreset! buf []) (rf acc)))
        ([acc x] (if (> (+ @total (w x)) limit)
                   (let [out @buf] (vreset! buf [x]) (vreset! total (w x)) (if (seq out) (rf acc out) acc))
                   (do (vswap! buf conj x) (vswap! total + (w x)) acc)))))))
(defn until-sum [limit] (fn [rf] (let [s (volatile! 0)] (fn ([] (rf)) ([a] (rf a)) ([a x] (if (> (vswap! s + x) limit) (reduced a) (rf a x)))))))
(defn zip-with-next [rf] (let [prev (volatile! ::none)]
  (fn ([] (rf)) ([a] (rf a)) ([a x] (let [p @prev] (vreset! prev x) (if (= p ::none) a (rf a [p x])))))))
(def xs [1 1 2 3 2 1 5 8 5 13 1 1 21 34])
(prn (into [] (dedupe-window 3) xs))
(prn (sequence (moving-average 4) xs))
(prn (into [] (running + 0) xs) (into [] (comp (running max 0) (dedupe)) xs))
(prn (into [] (batch-by-weight identity 10) xs))
(prn (into [] (comp (batch-by-weight count 7) (map #(str/join "+" %))) (str/split "the quick brown fox jumps over a lazy dog" #" ")))
(prn (transduce (until-sum 20) + xs) (transduce (comp (until-sum 20) (map inc)) conj xs))
(prn (into [] zip-with-next xs) (transduce (comp zip-with-next (map (fn [[a b]] (- b a)))) conj [] xs))
(prn (sequence (comp (partition-by odd?) (map count)) xs) (into [] (comp (partition-all 3) (take 3)) xs))
(prn (take 5 (sequence (comp (filter odd?) (map #(* % %))) (range))))
(prn (transduce (comp (take-while pos?) (map-indexed vector) (keep (fn [[i x]] (when (even? i) x)))) conj [3 2 1 0 5]))
(prn (eduction (map inc) (filter even?) xs) (reduce + 0 (eduction (map inc) (filter even?) xs)))
(prn (into {} (comp (map (juxt identity str)) (remove (comp odd? first))) (range 5)) )
(prn (into (sorted-map) (map (fn [[k v]] [k (count v)])) (group-by identity xs)))
(prn (transduce (map parse-long) (completing (fn [m x] (if x (update m :ok conj x) (update m :bad inc))) #(assoc % :n (count (:ok %)))) {:ok [] :bad 0} ["1" "x" "3"]))
(prn (sequence (map vector) [1 2 3] [:a :b :c] "xyz") (into [] (mapcat range) [1 2 3]))
(prn (transduce cat conj [[1] [] [2 3]]) (into [] (comp cat cat) [[[1 2] [3]] [[4]]]))
(prn (into [] (comp (interpose :sep) (take 4)) [1 2 3]) (into [] (replace {1 :one 2 :two}) xs) (into [] (random-sample 1.0) [1 2]))
(prn (let [log (atom [])] [(into [] (comp (map #(do (swap! log conj [:a %]) %)) (take 2) (map #(do (swap! log conj [:b %]) %))) (range 10)) @log]))
(prn (transduce (halt-when neg?) conj [1 2 -3 4]) (transduce (halt-when neg? (fn [r x] [r x])) conj [1 2 -3 4]))
(prn (into #{} (comp (drop-while #(< % 5)) (take-nth 2)) xs) (into () (map inc) [1 2 3]) (into (vector-of :int) (map inc) [1 2]))
(let [rf ((comp (partition-all 2) (map vec)) conj)] (-> (rf) (rf 1) (rf 2) (rf 3) rf))
