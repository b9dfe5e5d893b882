(import '(java.lang.ref SoftReference WeakReference ReferenceQueue))
(let [q (ReferenceQueue.) r (SoftReference. :bar q) w (WeakReference. [1 2])]
  (println (.get r) (.get w) (.poll q))
  (println (.enqueue r) (.enqueue r) (identical? r (.poll q)) (.poll q) (.get r) (.enqueue r))
  (println (.clear w) (.get w) (.enqueue w))
  (println (= r r) (= r (SoftReference. :bar q)) (instance? java.lang.ref.Reference r)))
(defn cached [cache k f]
  (or (some-> ^SoftReference (get @cache k) .get)
      (let [v (f k)] (swap! cache assoc k (SoftReference. v)) v)))
(let [cache (atom {}) calls (atom 0) f (fn [k] (swap! calls inc) (* k k))]
  (println (mapv #(cached cache % f) [2 3 2 3 4]) @calls)
  (.clear ^SoftReference (get @cache 2))
  (println (cached cache 2 f) @calls))
(let [q (ReferenceQueue.) rs (mapv #(SoftReference. % q) (range 3)) m (into {} (map-indexed (fn [i r] [r i]) rs))]
  (doseq [r rs] (.enqueue ^SoftReference r))
  (println (count (take-while some? (repeatedly #(.poll q)))) (get m (rs 1)) (map (fn [r] (.get ^SoftReference r)) rs)))
