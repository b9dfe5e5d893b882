(def pages
  {nil {:items [1 2] :next :p2} :p2 {:items [3] :next :p3} :p3 {:items [] :next :p4} :p4
   {:items [4 5]}})
(def calls (atom []))
(defn fetch [k] (swap! calls conj k) (get pages k))
(def it (iteration fetch :vf :items :kf :next))
(prn (into [] cat it))
(prn @calls)
(prn (vec (iteration (fn [n] (when (< n 3) {:n n})) :initk 0 :kf (comp inc :n) :vf :n)))
(prn
 (reduce (fn [a x] (if (> (count a) 1) (reduced a) (conj a x))) []
         (iteration (fn [k] {:v k :k (inc k)}) :initk 0 :vf :v :kf :k)))
(prn (take 3 (seq (iteration (fn [k] {:v (* k k) :k (inc k)}) :initk 5 :vf :v :kf :k))))
(vec (iteration fetch :somef (constantly false)))
