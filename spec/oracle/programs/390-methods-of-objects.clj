; Methods of the program's own types, called as methods of Java: in loops, pipelines and recursion.
(definterface INode (getLeft []) (getRight []) (getKey []) (setKey [k]))
(deftype Node [left right ^:unsynchronized-mutable key]
  INode
  (getLeft [_] left)
  (getRight [_] right)
  (getKey [_] key)
  (setKey [this k] (set! key k) this)
  Object
  (toString [_] (str "<" key ">"))
  (hashCode [_] 7)
  (equals [this o] (and (instance? Node o) (= key (.getKey ^INode o)))))
(defn tree [lo hi]
  (when (< lo hi)
    (let [mid (quot (+ lo hi) 2)] (Node. (tree lo mid) (tree (inc mid) hi) mid))))
(defn sum [^INode t] (if t (+ (sum (.getLeft t)) (.getKey t) (sum (.getRight t))) 0))
(println (sum (tree 0 1000)))
(defn find-key [^INode t k]
  (loop [^INode t t depth 0]
    (cond (nil? t) nil
          (= k (.getKey t)) depth
          (< k (.getKey t)) (recur (.getLeft t) (inc depth))
          :else (recur (.getRight t) (inc depth)))))
(println (mapv #(find-key (tree 0 100) %) [50 25 0 99 100]))
(let [t (tree 0 3)]
  (println (str t) (.toString t) (.hashCode t) (.equals t (Node. nil nil 1)) (= t (Node. nil nil 2)))
  (println (str (.setKey t 10)) (.getKey t) (str (.left t)) (nil? (.-right (.right t)))))

; One of two kinds of values has the method, in one call.
(defrecord Word [text] java.lang.CharSequence (length [_] (* 100 (count text))) (charAt [_ i] (nth text i)))
(defn length-of [x] (.length ^CharSequence x))
(println (map length-of ["abc" (->Word "abc") (StringBuilder. "ab")]))

; Methods that print and throw, in pipelines.
(definterface IStep (step [x]))
(deftype Loud [n] IStep (step [_ x] (println "step" n x) (when (= x 3) (throw (ex-info "three" {:n n}))) (+ n x)))
(let [l (Loud. 10)]
  (println (reduce + (map #(.step l %) [0 1 2])))
  (println (try (into [] (comp (map #(.step l %)) (filter even?)) (range 5)) (catch Exception e (ex-data e))))
  (println (first (map #(.step l %) (list 1 2)))))

; A method of the type comes before a field of that name; a field is read if there is no method.
(definterface INamed (who []))
(deftype Both [who x] INamed (who [_] (str "method " who)))
(println (.who (Both. "a" 1)) (.-who (Both. "a" 1)) (.x (Both. "a" 1)))

; reify closes over its scope, and each object has its own.
(defn counter []
  (let [n (atom 0)]
    (reify java.util.function.Supplier (get [_] (swap! n inc))
      java.lang.Runnable (run [_] (reset! n 100)))))
(let [a (counter) b (counter)]
  (println (.get a) (.get a) (.get b) (do (.run a) (.get a)) (.get b)))
(println (mapv (fn [i] (let [r (reify INamed (who [_] i) Object (toString [_] (str "r" i)))] [(.who r) (str r)])) (range 3)))

; Names of methods of Java's collections.
(deftype Bag [xs]
  clojure.lang.Counted (count [_] (count xs))
  clojure.lang.ILookup (valAt [_ k] (get xs k)) (valAt [_ k d] (get xs k d))
  clojure.lang.IFn (invoke [_ k] (get xs k :none)))
(let [b (Bag. {:a 1})]
  (println (.count b) (.valAt b :a) (.valAt b :b 2) (.invoke b :c) (b :a) (:a b) (count b)))
(println (try (.getLeft nil) (catch NullPointerException _ :npe)))
(println (try (.noSuchMethod (Both. 1 2)) (catch IllegalArgumentException e (ex-message e))))
(println (try (.noSuchMethod (Both. 1 2) 3) (catch IllegalArgumentException e (ex-message e))))
(defn deep [^INode t n] (if (zero? n) (.getKey t) (inc (deep t (dec n)))))
(println (deep (Node. nil nil 5) 500))
