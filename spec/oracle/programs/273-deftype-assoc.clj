(deftype CIMap [m] clojure.lang.Associative
  (containsKey [_ k] (contains? m (clojure.string/lower-case k)))
  (entryAt [_ k] (find m (clojure.string/lower-case k)))
  (assoc [_ k v] (CIMap. (assoc m (clojure.string/lower-case k) v))) clojure.lang.ILookup
  (valAt [_ k] (get m (clojure.string/lower-case k)))
  (valAt [_ k d] (get m (clojure.string/lower-case k) d)) clojure.lang.Seqable (seq [_] (seq m))
  clojure.lang.Counted (count [_] (count m)))
(def m (assoc (CIMap. {}) "Foo" 1 "BAR" 2))
(prn (get m "FOO") (contains? m "bar") (find m "bar") (get-in m ["Foo"]) (count m) (sort (keys m))
     (get (update m "foo" inc) "Foo") (get (assoc-in m ["x"] 1) "X") (select-keys m ["foo"]))
