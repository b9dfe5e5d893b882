(defn ins [t v]
  (cond (nil? t) {:v v} (< v (:v t)) (update t :l ins v) (> v (:v t)) (update t :r ins v) :else t))
(defn inorder [t] (when t (concat (inorder (:l t)) [(:v t)] (inorder (:r t)))))
(defn height [t] (if t (inc (max (height (:l t)) (height (:r t)))) 0))
(let [t (reduce ins nil [5 2 8 1 9 3])] (println (inorder t) (height t) t)
     (println (tree-seq #(or (:l %) (:r %)) #(keep % [:l :r]) t))
     (println (map :v (tree-seq map? #(keep identity ((juxt :l :r) %)) t))))
