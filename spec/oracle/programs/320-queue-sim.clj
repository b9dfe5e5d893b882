(defn tick [{:keys [q t done] :as s}]
  (if-let [{:keys [id left]} (peek q)]
    (let [left (dec left)]
      (-> s (assoc :t (inc t))
          (assoc :q (if (zero? left) (pop q) (conj (pop q) {:id id :left left})))
          (cond-> (zero? left) (update :done conj [id (inc t)]))))
    (reduced s)))
(let
 [s0
  {:q
   (into clojure.lang.PersistentQueue/EMPTY [{:id :a :left 2} {:id :b :left 1} {:id :c :left 3}])
   :t 0 :done []}
  end (->> (iterate tick s0) (drop-while #(and (not (reduced? %)) (seq (:q %)))) first)]
  (println (:done end) (:t end) (count (:q end)) (seq (:q end))))
