(def calls (atom 0))
(defn slow-square [n] (swap! calls inc) (* n n))
(def fast (memoize slow-square))
(println (mapv fast [2 3 2 3 2]) @calls)
(defn memoize-with-limit [limit f]
  (let [cache (atom {:order [] :vals {}})]
    (fn [& args]
      (if-let [e (find (:vals @cache) args)]
        (val e)
        (let [v (apply f args)]
          (swap! cache (fn [{:keys [order vals]}]
                         (let [order (conj order args) vals (assoc vals args v)]
                           (if (> (count order) limit)
                             {:order (subvec order 1) :vals (dissoc vals (first order))}
                             {:order order :vals vals}))))
          v)))))
(reset! calls 0)
(def limited (memoize-with-limit 2 slow-square))
(println (map limited [1 2 1 3 1 2]) @calls)
(def grid-paths (memoize (fn [r c] (if (or (zero? r) (zero? c)) 1 (+ (grid-paths (dec r) c) (grid-paths r (dec c)))))))
(println (grid-paths 2 2) (grid-paths 16 16))
(def lis (fn [xs] (apply max (vals (reduce (fn [m [i x]] (assoc m i (inc (apply max 0 (for [[j l] m :when (< (nth xs j) x)] l))))) {} (map-indexed vector xs))))))
(lis [10 9 2 5 3 7 101 18])
