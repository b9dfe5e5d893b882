(defn insert [t w] (assoc-in t (concat w [:end]) true))
(defn words [t]
  (letfn
   [(go [n pre]
      (concat (when (:end n) [pre])
              (mapcat (fn [[c ch]] (go ch (str pre c))) (sort-by key (dissoc n :end)))))]
    (go t "")))
(def t (reduce insert {} ["car" "cat" "dog" "ca"]))
(println (words t) (words (get-in t [\c \a])) (boolean (get-in t (concat "cat" [:end])))
         (get-in t [\d \o \g :end]))
