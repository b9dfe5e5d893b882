; Futures and promises whose results do not depend on timing: a value that is read was computed before, by the order that
; deref and deliver make.

(DEF fbody (+ 1 2) (vec (range 5)) nil :a "s" (map inc [1 2]) (range 0) (inc 1N) (/ 6 4) (zipmap [:a :b] [1 2])
  (throw (ex-info "no" {:a 1})) (throw (RuntimeException. "r")) (throw (Exception.)) (/ 1 0)
  (throw (IllegalStateException. "s")) (Long/parseLong "x") (first 5))

(EACH @(future $fbody))
(EACH (try @(future $fbody) (catch Exception e [(class e) (ex-message e) (ex-data e) (class (ex-cause e)) (ex-message (ex-cause e)) (ex-data (ex-cause e))])))
(EACH (try @(future $fbody) (catch java.util.concurrent.ExecutionException e (ex-message (ex-cause e)))))
(EACH (try @(future-call (fn [] $fbody)) (catch Throwable t (str (.getCause t)))))
(EACH (try @(future @(future $fbody)) (catch Exception e [(class (ex-cause e)) (ex-message (ex-cause e)) (ex-message e)])))
(EACH (let [f (future $fbody)] (try @f (catch Exception _ nil)) [(realized? f) (future-done? f) (future-cancelled? f) (future? f) (future-cancel f)]))
(EACH (let [f (future $fbody)] (mapv (fn [_] (try (deref f 10000 :late) (catch Exception e (ex-message e)))) [1 2])))
(EACH (let [p (promise)] (deliver p (try $fbody (catch Exception e :failed))) [(realized? p) @p (deliver p 1) (deref p 1 :late)]))
(EACH (let [p (promise)] (future (deliver p (try $fbody (catch Exception e :failed)))) @p))
(EACH (let [f (future $fbody) g (future (try @f (catch Exception e (ex-message e))))] @g))
(EACH (with-out-str (try (print @(future (print "in ") $fbody)) (catch Exception e (print (ex-message e))))))
(EACH (let [r (atom [])] (try @(future (swap! r conj 1) $fbody) (catch Exception _ (swap! r conj 2))) @r))

(EACH (mapv deref (mapv (fn [x] (future ($[inc dec str - pos? vector list] x))) $[[] [1] [1 2 3] (range 10)])))
(EACH (map deref (map #(future (* % %)) $[(range 3) [5] nil #{2}])))
(EACH (reduce + (map deref (doall (for [x (range $[0 1 5 40])] (future (* 2 x)))))))
(EACH (into {} (map (fn [[k f]] [k @f])) {:a (future $[1 nil :x]) :b (future $[2 "b"])}))
(EACH @(reduce (fn [f i] (future (+ i @f))) (future 0) (range $[0 1 2 10])))
(EACH (let [r (atom 0)] @(future ($[swap! (fn [a f] (reset! a (f @a)))] r $[inc dec -])) @r))
(EACH (let [r (atom 0) fs (mapv (fn [i] (future (swap! r + i))) (range $[0 1 2 8]))] (run! deref fs) @r))
(EACH (let [r (atom #{})] (run! deref (mapv (fn [i] (future (swap! r conj (mod i $[1 2 3])))) (range 6))) (sort @r)))
(EACH (let [r (atom {})] (run! deref (doall (map (fn [k] (future (swap! r update k (fnil inc 0)))) $[[:a :b :a] [] [1 1 1]]))) (into (sorted-map) @r)))
(EACH (let [r (atom []) a (future (swap! r conj $[1 :a])) b (future @a (swap! r conj $[2 :b])) c (future @b (swap! r conj 3))] @c @r))
(EACH (let [r (atom 0)] [@(future (compare-and-set! r $[0 1] 5)) @r]))
(EACH (let [r (atom 1)] [@(future ($[swap-vals! (fn [a f] (reset-vals! a (f 7)))] r inc)) @r]))
(EACH (let [r (atom 0) seen (atom [])] (add-watch r :k (fn [k a o n] (swap! seen conj [o n]))) @(future (swap! r + $[1 2])) @seen))
(EACH (let [r (atom 1 :validator pos?)] (try @(future (reset! r $[2 -1])) (catch Exception e (ex-message (ex-cause e))))))
(EACH (let [p (promise) f (future (inc @p))] (deliver p $[1 2]) @f))
(EACH (let [p (promise) f (future [@p @p]) g (future (deliver p $[1 nil]))] @f))
(EACH (let [p (promise) q (promise)] (future (deliver q (inc @p))) (future (deliver p $[1 5])) @q))
(EACH (let [ps (vec (repeatedly $[1 3] promise))] (doseq [[i p] (map-indexed vector ps)] (future (deliver p i))) (mapv deref ps)))
(EACH (deref (promise) $[0 1] $[:late nil 5]))
(EACH (deref (future (Thread/sleep 100000)) $[1 3] $[:late nil]))

(RAW "(def ^:dynamic *x* 1) (let [f (binding [*x* 2] (future *x*))] @f)"
  "(def ^:dynamic *x* 1) @(binding [*x* 2] (future (binding [*x* (inc *x*)] *x*)))"
  "(defn slow [x] (Thread/sleep 1) (* x x)) (let [a (future (slow 2)) b (future (slow 3))] (+ @a @b))"
  "(def cache (atom {})) (defn load [k] (or (@cache k) (let [v (str k)] (swap! cache assoc k v) v))) [@(future (load 1)) @cache]"
  "(defn pmap2 [f xs] (map deref (doall (map #(future (f %)) xs)))) (pmap2 inc [1 2 3])"
  "(let [f (delay (future 1))] @@f)"
  "(let [fs (atom [])] (dotimes [i 3] (swap! fs conj (future i))) (mapv deref @fs))"
  "(future? (promise))" "(future? (atom 1))" "(realized? (promise))" "(future? (future 1))" "(deref 1)" "(deliver 1 2)"
  "(future-done? 1)" "(future-cancel 1)" "(future-cancelled? 1)" "(promise 1)" "(deliver)" "(future-call 1)" "(future)" "@(future)"
  "(let [p (promise)] (identical? p (deliver p 1)))" "(instance? clojure.lang.IDeref (promise))" "(instance? clojure.lang.IPending (future 1))"
  "(instance? java.util.concurrent.Future (future 1))" "(deref (atom 1) 10 2)" "(deref (delay 1) 10 2)" "(class (promise))"
  "(let [p (promise)] (try (deref p 1 (/ 1 0)) (catch Exception e :eager)))"
  "(let [f (future 1)] @f (= f f))" "(= (promise) (promise))" "(let [f (future 1)] (get {f 2} f))"
  "(locking (Object.) @(future 1))" "(let [x 1] @(future (let [y x] (loop [i 0] (if (< i 5) (recur (inc i)) (+ i y))))))")
