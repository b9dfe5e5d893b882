(def tree
  {:name "root" :size 0
   :children [{:name "src" :size 0
               :children [{:name "a.clj" :size 120} {:name "b.clj" :size 80}]}
              {:name "docs" :size 0 :children [{:name "readme" :size 30}]}
              {:name "empty" :size 0 :children []}]})
(defn total [{:keys [size children]}] (+ size (reduce + (map total children))))
(defn paths [{:keys [name children]}]
  (cons name (for [c children p (paths c)] (str name "/" p))))
(defn print-tree
  ([t] (print-tree t ""))
  ([{:keys [name children] :as t} indent]
   (println (str indent name " (" (total t) ")"))
   (doseq [c children] (print-tree c (str indent "  ")))))
(print-tree tree)
(run! println (paths tree))
(println (count (tree-seq :children :children tree)))
(println (map :name (remove :children (tree-seq :children :children tree))))
(apply max-key :size (tree-seq :children :children tree))
