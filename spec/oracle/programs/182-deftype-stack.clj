(defprotocol IStack (push! [s x]) (pop! [s]) (peek* [s]) (size [s]))
(deftype MutStack [^:unsynchronized-mutable items ^:unsynchronized-mutable pushes]
  IStack
  (push! [this x] (set! items (cons x items)) (set! pushes (inc pushes)) this)
  (pop! [_] (let [x (first items)] (set! items (rest items)) x))
  (peek* [_] (first items))
  (size [_] (count items))
  Object
  (toString [_] (str "Stack" (vec items) " pushes=" pushes)))
(def s (MutStack. () 0))
(-> s (push! 1) (push! 2) (push! 3))
(println (peek* s) (size s) (pop! s) (str s))
(dotimes [i 3] (push! s (* 10 i)))
(println (str s) (instance? MutStack s) (satisfies? IStack s))
(deftype Point [x y]
  Object
  (equals [_ o] (and (instance? Point o) (= x (.-x ^Point o)) (= y (.-y ^Point o))))
  (hashCode [_] (+ (* 31 x) y))
  (toString [_] (str "(" x ", " y ")"))
  Comparable
  (compareTo [_ o] (compare [x y] [(.-x ^Point o) (.-y ^Point o)])))
(println (= (->Point 1 2) (Point. 1 2)) (= (->Point 1 2) (->Point 2 1)) (str (->Point 3 4)) (map str (sort [(->Point 2 1) (->Point 1 9) (->Point 1 2)])))
(deftype Lazy2 [f] clojure.lang.IDeref (deref [_] (f)) clojure.lang.IFn (invoke [_] :called) (invoke [_ a] [:called a]))
(let [l (->Lazy2 (fn [] 42))] (println @l (l) (l 5)))
(deftype Env [m parent]
  clojure.lang.ILookup
  (valAt [_ k] (if (contains? m k) (get m k) (when parent (get parent k))))
  (valAt [this k nf] (let [v (.valAt this k)] (if (nil? v) nf v)))
  clojure.lang.Counted
  (count [_] (count m))
  clojure.lang.Seqable
  (seq [_] (seq m)))
(def root (Env. {:x 1} nil))
(def child (Env. {:y 2} root))
(println (:x child) (get child :y) (get child :z :none) (count child) (seq child) (into {} child))
(let [counter (let [n (atom 0)] (reify Runnable (run [_] (swap! n inc)) clojure.lang.IDeref (deref [_] @n)))]
  (dotimes [_ 4] (.run counter))
  (println @counter))
(println (sort (reify java.util.Comparator (compare [_ a b] (compare (count b) (count a)))) ["a" "ccc" "bb"]))
(try (.foo (->Point 1 2)) (catch IllegalArgumentException e (println (.getMessage e))))
[(str (proxy [Object] [] (toString [] "proxied"))) (class (->Point 1 2))]
