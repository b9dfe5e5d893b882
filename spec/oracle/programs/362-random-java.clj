;; Random calls of the methods of BitSet, PriorityQueue, ListIterator, StringTokenizer and Scanner.
(def r (java.util.Random. 7))
(defn n [k] (.nextInt r (int k)))
(defn bits []
  (let [b (java.util.BitSet.) c (java.util.BitSet.)]
    (dotimes [_ 60]
      (let [x (if (zero? (n 2)) b c) i (n 200) j (+ i (n 150))]
        (case (n 12)
          0 (.set x i) 1 (.clear x i) 2 (.flip x i) 3 (.set x i j) 4 (.clear x i j) 5 (.flip x i j)
          6 (.and b c) 7 (.or x (if (= x b) c b)) 8 (.xor b c) 9 (.andNot c b) 10 (.set x i j (zero? (n 2))) 11 (.set x i (zero? (n 2))))))
    (let [i (n 300) j (+ i (n 200))]
      [(str b) (str c) (.size b) (.length c) (.cardinality b) (.nextSetBit b i) (.nextClearBit b i) (.previousSetBit b i) (.previousClearBit c i) (str (.get b i j)) (.hashCode b) (.intersects b c) (vec (.toByteArray b)) (vec (.toLongArray c))])))
(defn heap []
  (let [q (java.util.PriorityQueue. (vec (repeatedly (n 20) #(n 30))))]
    (dotimes [_ 20]
      (case (n 5) 0 (.add q (n 30)) 1 (.remove q (n 30)) 2 (.poll q) 3 (.removeAll q [(n 30) (n 30)]) 4 (.addAll q [(n 9) (n 9)])))
    (vec q)))
(defn walk []
  (let [l (java.util.ArrayList. (vec (range (n 10)))) it (.listIterator l)]
    [(vec (for [_ (range 20)]
       (try (case (n 5) 0 (.next it) 1 (.previous it) 2 (do (.set it (n 99)) :set) 3 (do (.remove it) :rem) 4 (do (.add it (n 99)) :add))
         (catch java.util.NoSuchElementException e :none) (catch IllegalStateException e :state))))
     (vec l) (.nextIndex it)]))
(defn toks []
  (let [abc (fn [k] (apply str (repeatedly k #(nth ["a" "b" "," ";" " " "\n"] (n 6)))))
        s (java.util.StringTokenizer. (abc 12) (abc (n 3)) (zero? (n 2)))
        sc (.useDelimiter (java.util.Scanner. (abc 15)) (nth ["," ",|;" "\\s+" "[,;]*" "a" "b*" "\\n" ",;"] (n 8)))]
    [(.countTokens s) (loop [v []] (if (.hasMoreTokens s) (recur (conj v (.nextToken s))) v))
     (loop [v [] k 0] (if (and (.hasNext sc) (< k 20)) (recur (conj v (case (n 3) 0 (.next sc) 1 (.findInLine sc "[ab]+") 2 (if (.hasNextLine sc) (.nextLine sc) :end))) (inc k)) v))]))
(dotimes [_ 20] (println (bits)))
(dotimes [_ 40] (println (heap)))
(dotimes [_ 40] (println (walk)))
(dotimes [_ 60] (prn (toks)))
