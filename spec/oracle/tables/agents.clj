; Agents, latches, threads and executors whose results do not depend on timing: what is read was waited for.

(DEF act inc dec (fn [x] [x x]) str (fn [_] nil) (partial + 5) (comp inc inc) (constantly :k))

(EACH (let [a (agent $[0 1 -7])] (send a $[inc dec - str]) (await a) @a))
(EACH (let [a (agent 5)] (send a $act) (await a) @a))
(EACH (let [a (agent 5)] (send-off a $act) (await a) [@a (agent-error a) (error-mode a) (error-handler a)]))
(EACH (let [a (agent 1)] (send a $[+ * - max vector list str] 2 3) (await a) @a))
(EACH (let [a (agent [])] (dotimes [i $[0 1 5 20]] (send a conj i)) (await a) @a))
(EACH (let [a (agent {})] (doseq [k $[[:a :b :a] [] [1 1]]] (send a update k (fnil inc 0))) (await a) (into (sorted-map) @a)))
(EACH (let [as (mapv agent (range $[0 1 4]))] (doseq [a as] (send-off a * 10)) (apply await as) (mapv deref as)))
(EACH (let [a (agent 0 :error-mode :continue)] (send a $[/ quot mod] 0) (send a inc) (await a) [@a (agent-error a)]))
(EACH (let [s (atom []) a (agent 6 :error-handler (fn [a e] (swap! s conj [@a (ex-message e)])))] (doseq [n $[[1 0 2] [0 0] [3]]] (send a / n)) (await a) [@a @s (error-mode a)]))
(EACH (let [a (agent 1)] (try (restart-agent a 2) (catch $[RuntimeException Exception] e (ex-message e)))))
(EACH (try (agent $[1 2] :validator even? :meta {:a 1}) (catch Exception e [(class e) (ex-message e)])))
(EACH (let [a (agent 0) b (agent [])] (send a (fn [x] (send b conj x) (inc x))) (await a) (await b) [@a @b]))
(EACH (let [a (agent 0)] (send a (fn [x] [x @*agent* (identical? a *agent*)])) (await a) @a))
(EACH (let [a (agent 0) seen (atom [])] (dotimes [i $[1 3]] (send a (fn [x] (swap! seen conj @a) (inc x)))) (await a) [@a @seen]))
(EACH (let [a (agent 0) p (promise)] (letfn [(step [x] (if (< x $[1 5 9]) (do (send *agent* step) (inc x)) (do (deliver p x) x)))] (send a step) @p)))
(EACH (let [r (atom []) a (agent 0)] (dotimes [i $[1 4]] (send a (fn [x] (swap! r conj [i x]) (inc x)))) (await a) @r))
(EACH (let [a (agent 1)] [(await-for $[10000 20000] a) (await a) @a]))
(EACH (do (def ^:dynamic *d* 1) (let [a (agent 0)] (binding [*d* $[2 :b]] (send a (fn [_] *d*))) (await a) @a)))
(EACH (let [a (agent 1)] (set-error-mode! a $[:continue :fail]) (error-mode a)))
(EACH (let [a (agent 0)] @(future (send a + $[1 2])) (await a) @a))

(EACH (let [l (java.util.concurrent.CountDownLatch. $[0 1 3]) n (.getCount l)] (dotimes [_ 3] (future (.countDown l))) (.await l) [n (.getCount l)]))
(EACH (let [l (java.util.concurrent.CountDownLatch. $[0 1])] (.await l $[1 0 -1] java.util.concurrent.TimeUnit/MILLISECONDS)))
(EACH (let [r (atom []) t (Thread. (fn [] (swap! r conj $[1 :a nil])))] (.start t) (.join t) [@r (.isAlive t)]))
(EACH (let [e (java.util.concurrent.Executors/newFixedThreadPool $[1 2]) fs (mapv (fn [i] (.submit e ^Callable (fn [] (* i i)))) (range 4))] (.shutdown e) [(.awaitTermination e 10 java.util.concurrent.TimeUnit/SECONDS) (mapv #(.get %) fs) (.isShutdown e)]))
(EACH (let [e (java.util.concurrent.Executors/newCachedThreadPool) fs (.invokeAll e $[[(fn [] 1) (fn [] 2)] []])] (.shutdown e) (mapv #(.get %) fs)))
(EACH (let [e (java.util.concurrent.Executors/newSingleThreadExecutor) f (.submit e ^Callable (fn [] (/ 1 $[0 2])))] (.shutdown e) (try (.get f) (catch java.util.concurrent.ExecutionException x (ex-message (.getCause x))))))
(EACH (let [f (future $[1 nil])] [(.get f) (.isDone f) (.isCancelled f) (.cancel f true) (.get f 10 java.util.concurrent.TimeUnit/SECONDS)]))
(EACH (try (.get (future (Thread/sleep 300) 1) 5 java.util.concurrent.TimeUnit/MILLISECONDS) (catch $[java.util.concurrent.TimeoutException Exception] e (class e))))

(RAW "(agent)" "(send 1 inc)" "(send (atom 1) inc)" "(await 1)" "(agent-error 1)" "(class (agent 1))" "(instance? clojure.lang.Agent (agent 1))"
  "(instance? clojure.lang.IDeref (agent 1))" "(meta (agent 1 :meta {:a 1}))" "*agent*" "(= (agent 1) (agent 1))" "(let [a (agent 1)] (= a a))"
  "(let [a (agent 1)] (identical? a (send a inc)))" "(await)" "(class (Thread. (fn [])))"
  "(java.util.concurrent.CountDownLatch. -1)" "(.getCount (java.util.concurrent.CountDownLatch. 2))"
  "(let [t (Thread. (fn []))] (.start t) (try (.start t) (catch IllegalThreadStateException e :twice)))"
  "(with-out-str (.run (Thread. (fn [] (print 1)))))" "(locking (agent 1) 2)")
