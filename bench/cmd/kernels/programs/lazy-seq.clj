; Sequences by lazy-seq and cons.
(defn numbers [n] (lazy-seq (cons n (numbers (inc n)))))
(defn my-map [f s] (lazy-seq (when-let [[x & more] (seq s)] (cons (f x) (my-map f more)))))
(defn fibs ([] (fibs 0 1)) ([a b] (lazy-seq (cons a (fibs b (mod (+ a b) 1000007))))))
(defn kernel []
  (+ (reduce + (take 20000 (numbers 0)))
     (reduce + (my-map inc (range 20000)))
     (nth (fibs) 20000)
     (count (take-while #(< % 20000) (filter even? (numbers 0))))))
