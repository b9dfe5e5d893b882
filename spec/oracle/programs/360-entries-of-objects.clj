;; Objects that are entries of maps, and maps and sequences that are objects.
(deftype Node [k v]
  java.util.Map$Entry (getKey [_] k) (getValue [_] v) (setValue [_ x] (throw (UnsupportedOperationException.)))
  clojure.lang.IMapEntry (key [_] k) (val [_] v))
(deftype Tree [m]
  clojure.lang.Seqable (seq [_] (seq (map (fn [[k v]] (Node. k v)) m)))
  clojure.lang.Counted (count [_] (count m))
  clojure.lang.ILookup (valAt [_ k] (get m k)) (valAt [_ k d] (get m k d))
  clojure.lang.Associative (containsKey [_ k] (contains? m k)) (entryAt [_ k] (find m k)) (assoc [_ k v] (Tree. (assoc m k v)))
  clojure.lang.IPersistentMap (without [_ k] (Tree. (dissoc m k)))
  clojure.lang.MapEquivalence
  java.util.Map (size [_] (count m)) (get [_ k] (get m k)) (isEmpty [_] (empty? m))
  Object
  (hashCode [this] (clojure.lang.APersistentMap/mapHash this))
  (equals [this x] (clojure.lang.APersistentMap/mapEquals this x))
  (toString [this] (clojure.lang.RT/printString this))
  Iterable (iterator [this] (clojure.lang.SeqIterator. (seq this))))
(defn tree [n] (Tree. (into (sorted-map) (map (fn [i] [i (* i i)]) (range n)))))
(prn (key (Node. :a 1)) (val (Node. :a 1)) (map-entry? (Node. :a 1)))
(prn (keys (tree 4)) (vals (tree 4)) (keys (seq (tree 3))) (vals (list (Node. :x :y))))
(prn (into {} (tree 3)) (conj {} (list (Node. 1 2))))
(prn (str (tree 4)))
(prn (= (into {} (tree 200)) (tree 200)) (= (into {} (tree 200)) (tree 199)))
(prn (.equals (into {} (tree 200)) (tree 200)) (.equals (tree 200) (into {} (tree 200))) (.equals (tree 2) {0 0 1 1.0}))
(prn (= (.hashCode (tree 300)) (.hashCode (into {} (tree 300)))))
(prn (try (key 1) (catch ClassCastException _ :cast)))
(prn (clojure.lang.APersistentSet/setEquals #{1 2} (sorted-set 1 2)) (clojure.lang.APersistentSet/setEquals #{1 2} [1 2]))
