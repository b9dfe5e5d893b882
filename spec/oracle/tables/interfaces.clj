;; Methods of Clojure's interfaces, the static methods of its classes, and types that implement them.
(DEF icoll [1 2 3] [] {:a 1} {} #{:x} (quote (4 5)) () (range 3) (sorted-map 1 :a 2 :b 3 :c) (sorted-set 5 1 3) nil "abc" (map inc [1 2]))
(DEF iplain nil 1 1.5 "a" :k [1 2] (quote (1 2)) {:a 1} #{1} 2N 1/2 \a true)
(EACH (clojure.lang.RT/seq $icoll) (clojure.lang.RT/first $icoll) (clojure.lang.RT/next $icoll) (clojure.lang.RT/more $icoll)
      (clojure.lang.RT/count $icoll) (clojure.lang.RT/get $icoll :a) (clojure.lang.RT/get $icoll 1 :none)
      (clojure.lang.RT/cons 0 $icoll) (clojure.lang.RT/booleanCast $iplain))
(EACH (clojure.lang.Util/equiv $iplain $iplain) (clojure.lang.Util/equals $iplain $iplain))
(EACH (clojure.lang.Util/hash $iplain) (clojure.lang.Util/hasheq $iplain) (clojure.lang.Util/isInteger $iplain))
(clojure.lang.Util/compare 1 2) (clojure.lang.Util/compare nil 2) (clojure.lang.Util/compare "b" "a")
(clojure.lang.RT/keys {:a 1 :b 2}) (clojure.lang.RT/vals {:a 1 :b 2}) (clojure.lang.RT/keys nil)
(clojure.lang.RT/assoc {} :a 1) (clojure.lang.RT/conj [1] 2) (clojure.lang.RT/conj nil 2)
(clojure.lang.RT/boundedLength '(1 2 3) 1) (clojure.lang.RT/boundedLength '(1 2 3) 5)
(clojure.lang.APersistentMap/mapHash {:a 1 nil 2}) (clojure.lang.APersistentMap/mapHasheq {:a 1 nil 2})
(clojure.lang.Murmur3/hashOrdered [1 :a "b"]) (clojure.lang.Murmur3/hashUnordered [1 :a "b"])
(clojure.lang.Murmur3/mixCollHash 5 2) (clojure.lang.Murmur3/hashLong 123456789012)
(EACH (.seqFrom (sorted-map 1 :a 3 :b 5 :c) $[0 1 2 3 5 6] $[true false])
      (.seqFrom (sorted-set 1 3 5) $[0 1 2 3 5 6] $[true false])
      (.seqFrom (sorted-set-by > 1 3 5) $[0 1 2 3 5 6] $[true false])
      (.seq (sorted-map 1 :a 3 :b) $[true false]) (.seq (sorted-set 3 1) $[true false]))
(.entryKey (sorted-map 1 2) (first {3 4})) (.entryKey (sorted-set 1) 9)
(.compare (.comparator (sorted-map)) 1 2) (.compare (.comparator (sorted-map-by >)) 1 2) (.compare < 2 2)
(let [it (clojure.lang.SeqIterator. (seq [1 2]))] [(.hasNext it) (.next it) (.next it) (.hasNext it)])
(.hasNext (clojure.lang.SeqIterator. nil))
(clojure.lang.Cons. 1 '(2)) @(clojure.lang.Reduced. 3) (reduce (fn [_ x] (clojure.lang.Reduced. x)) 0 [5 6])
(persistent! (.conj (.asTransient [1]) 2)) (.persistent (.assoc (transient {}) :a 1)) (.persistent (.without (transient {:a 1 :b 2}) :a))
(.persistent (.disjoin (transient #{1 2}) 1)) (.count (transient [1 2])) (.valAt (transient {:a 1}) :a) (.valAt (transient {:a 1}) :b 2)
(.contains (transient #{1}) 1) (.assocN [1 2] 0 5) (.hasheq [1]) (.hasheq {:a 1})
(Class/forName "java.lang.String") (Class/forName "no.such.Thing") (System/getProperty "line.separator") (System/getProperty "no.such.key") (System/getProperty "no.such.key" "d")
(clojure.core.protocols/coll-reduce [1 2 3] +) (clojure.core.protocols/coll-reduce [1 2 3] + 10)
(clojure.core.protocols/kv-reduce {:a 1 :b 2} (fn [acc k v] (conj acc k v)) [])
(RAW "(deftype M [m] clojure.lang.IPersistentMap (count [_] (count m)) (seq [_] (seq m)) (valAt [_ k] (get m k)) (valAt [_ k d] (get m k d)) (containsKey [_ k] (contains? m k)) (entryAt [_ k] (find m k)) (assoc [_ k v] (M. (assoc m k v))) (without [_ k] (M. (dissoc m k))) (cons [_ x] (M. (conj m x))) (empty [_] (M. {})) (equiv [_ o] (= m o)) (iterator [_] (.iterator m)) clojure.lang.MapEquivalence java.util.Map (size [_] (count m)) (get [_ k] (get m k)) Object (hashCode [_] (.hashCode m)) (equals [_ o] (= m o)) (toString [_] (str m))) [(= {:a 1} (M. {:a 1})) (= (M. {:a 1}) {:a 1}) (= {:a 2} (M. {:a 1})) (= {} (M. {})) (= {:a 1 :b 2} (M. {:a 1})) (pr-str (M. {:a 1 :b 2})) (str (M. {:a 1})) (get (M. {:a 1}) :a) (:a (M. {:a 1})) (get (M. {}) :a 5) (count (M. {:a 1})) (into {} (M. {:a 1})) (keys (M. {:a 1})) (vals (M. {:a 1})) (contains? (M. {:a 1}) :a) (dissoc (M. {:a 1}) :a) (assoc (M. {}) :b 2) (conj (M. {}) [:c 3]) (empty (M. {:a 1})) (map? (M. {})) (.hashCode (M. {:a 1})) (reduce-kv (fn [a k v] (conj a k v)) [] {:a 1})]"
     "(deftype S [s] clojure.lang.IPersistentSet (count [_] (count s)) (seq [_] (seq s)) (contains [_ x] (contains? s x)) (get [_ x] (get s x)) (disjoin [_ x] (S. (disj s x))) (cons [_ x] (S. (conj s x))) (empty [_] (S. #{})) (equiv [_ o] (= s o)) java.util.Set (size [_] (count s)) (iterator [_] (.iterator s)) (containsAll [_ c] (every? s c)) Object (hashCode [_] (.hashCode s)) (equals [_ o] (= s o))) [(= #{1} (S. #{1})) (= (S. #{1}) #{1}) (= #{2} (S. #{1})) (= #{} (S. #{})) (pr-str (S. #{1})) (set? (S. #{})) (contains? (S. #{1}) 1) (disj (S. #{1}) 1) (conj (S. #{}) 2) (= [1] (S. #{1}))]"
     "(deftype V [v] clojure.lang.IPersistentVector (count [_] (count v)) (seq [_] (seq v)) (nth [_ i] (nth v i)) (nth [_ i d] (nth v i d)) (assocN [_ i x] (V. (assoc v i x))) (assoc [_ i x] (V. (assoc v i x))) (cons [_ x] (V. (conj v x))) (length [_] (count v)) (peek [_] (peek v)) (pop [_] (V. (pop v))) (valAt [_ i] (get v i)) (valAt [_ i d] (get v i d)) (containsKey [_ i] (contains? v i)) (entryAt [_ i] (find v i)) (empty [_] (V. [])) (equiv [_ o] (= v o)) (rseq [_] (rseq v)) Iterable (iterator [_] (.iterator v))) [(= [1 2] (V. [1 2])) (= (V. [1 2]) [1 2]) (= '(1 2) (V. [1 2])) (= [1] (V. [1 2])) (pr-str (V. [1 2])) (vector? (V. [])) (nth (V. [5]) 0) (get (V. [5]) 0) (assoc (V. [5]) 0 6) (conj (V. []) 1) (peek (V. [1 2])) (pop (V. [1 2])) (rseq (V. [1 2])) (let [[a b] (V. [1 2])] [b a])]"
     "(deftype L [a n] clojure.lang.ISeq (first [_] a) (next [_] (when (pos? n) (L. (inc a) (dec n)))) (more [this] (or (.next this) ())) (cons [this x] (clojure.lang.Cons. x this)) (seq [this] this) (count [_] (inc n)) (empty [_] ()) (equiv [this o] (= (vec this) o)) clojure.lang.Sequential) [(first (L. 1 2)) (vec (rest (L. 1 2))) (vec (next (L. 1 2))) (map inc (L. 1 2)) (reduce + (L. 1 3)) (into [] (L. 1 2)) (pr-str (L. 1 2)) (= [1 2 3] (L. 1 2)) (= (L. 1 1) [1 2]) (vec (cons 0 (L. 1 1))) (vec (conj (L. 1 1) 0)) (seq? (L. 1 1)) (sequential? (L. 1 1)) (apply + (L. 1 2)) (let [[a & b] (L. 1 2)] [a (vec b)])]"
     "(deftype T [s] clojure.lang.Sorted (comparator [_] (.comparator s)) (entryKey [_ e] (.entryKey s e)) (seq [_ up] (.seq s up)) (seqFrom [_ k up] (.seqFrom s k up)) clojure.lang.Seqable (seq [_] (seq s))) (let [t (T. (sorted-set 1 3 5 7))] [(subseq t > 3) (subseq t >= 3) (subseq t < 3) (subseq t <= 3) (subseq t > 1 < 7) (subseq t >= 0 <= 9) (rsubseq t > 3) (rsubseq t >= 3) (rsubseq t < 3) (rsubseq t <= 3) (rsubseq t > 1 < 7) (rsubseq t >= 1 <= 7) (sorted? t) (seq t)])"
     "(deftype E [v] clojure.lang.IEditableCollection (asTransient [_] (transient v))) (persistent! (conj! (transient (E. [1])) 2))"
     "(deftype W [m] clojure.lang.IObj (meta [_] m) (withMeta [_ x] (W. x))) [(meta (W. {:a 1})) (meta (with-meta (W. nil) {:b 2})) (meta (vary-meta (W. {:a 1}) assoc :c 3))]"
     "(deftype K [] clojure.core.protocols/IKVReduce (kv-reduce [_ f init] (f (f init :a 1) :b 2))) (reduce-kv (fn [a k v] (conj a k v)) [] (K.))"
     "(deftype C [] clojure.core.protocols/CollReduce (coll-reduce [_ f] (f 1 2)) (coll-reduce [_ f init] (f (f init 1) 2))) [(reduce + 10 (C.)) (into [] (C.)) (transduce (map inc) + 0 (C.))]"
     "(definterface Op (run1 [x]) (run1 [x y]) (^long size [])) (let [o (reify Op (run1 [_ x] [:one x]) (run1 [_ x y] [:two x y]) (size [_] 7))] [(.run1 o 1) (.run1 o 1 2) (.size o)])"
     "(defmacro op [x] `(reify Comparable (compareTo [_ o#] ~x))) [(.compareTo (op 5) 1) (compare (op -1) 1)]"
     "(defmacro dispose [x] `(reify java.io.Closeable (close [_] ~x))) (.close (dispose (println :closed)))"
     "(ns other.thing) (defrecord R [a b]) (deftype D [x]) (ns user2 (:import (other.thing R D))) [(R. 1 2) (:a (R. 3 4)) (.x (D. 5)) (instance? R (R. 1 2)) (other.thing.R. 6 7) (R/create {:a 1}) (instance? other.thing.D 1)]"
     "(ns my-lib.core) (defprotocol P (area [x])) (defrecord Sq [a] P (area [_] (* a a))) (ns app (:require [my-lib.core :as c]) (:import [my_lib.core Sq])) (deftype Ci [r] my_lib.core.P (area [_] (* 3 r r))) [(c/area (Sq. 2)) (c/area (Ci. 2)) (Sq. 1) (map c/area [(c/->Sq 3) (Ci. 1)])]"
     "(try (Class/forName \"nope\") (catch ClassNotFoundException e :none))"
     "(import '(java.util Map Set)) [(instance? Map {}) (instance? Set #{}) (instance? Map #{})]"
     "(instance? java.io.File \"a\")" "(try (/ 1 0) (catch java.io.FileNotFoundException e :file) (catch ArithmeticException e :arith))"
     "(defprotocol Sz (sz [x])) (extend-protocol Sz java.io.File (sz [_] :file) String (sz [s] (count s)) java.util.Map (sz [m] (count m))) [(sz \"abc\") (sz {:a 1})]"
     "(use 'clojure.test) (defmethod assert-expr 'odd1? [msg form] `(let [v# ~(second form)] (if (odd? v#) (do-report {:type :pass :message ~msg :expected '~form :actual v#}) (do-report {:type :fail :message ~msg :expected '~form :actual v#})) v#)) (is (odd1? 3))"
     "(defonce level 3) (defmacro lev [] level) (lev)" "(defmulti em :k) (defmethod em :a [_] ''found) (defmacro m [x] (em x)) (m {:k :a})"
     "(defprotocol Em (emit [x])) (extend-protocol Em Long (emit [n] (list '+ n 1)) String (emit [s] (list 'str s s))) (defmacro em [x] (emit x)) [(em 5) (em \"a\")]"
     "(def ^:dynamic *d* 1) (defn with-it [v f] (push-thread-bindings {#'*d* v}) (try (f) (finally (pop-thread-bindings)))) [(with-it 2 (fn [] *d*)) *d*]")
