(def items [{:name :map :w 9 :v 150} {:name :compass :w 13 :v 35} {:name :water :w 153 :v 200}
            {:name :sandwich :w 50 :v 160} {:name :glucose :w 15 :v 60} {:name :tin :w 68 :v 45}
            {:name :banana :w 27 :v 60} {:name :apple :w 39 :v 40} {:name :cheese :w 23 :v 30}])

(def best
  (memoize
   (fn [i cap]
     (if (or (neg? i) (<= cap 0))
       [0 []]
       (let [{:keys [w v name]} (items i)
             [v1 s1 :as without] (best (dec i) cap)]
         (if (> w cap)
           without
           (let [[v2 s2] (best (dec i) (- cap w))
                 v2 (+ v2 v)]
             (if (> v2 v1) [v2 (conj s2 name)] without))))))))

(doseq [cap [10 50 100 200 400]]
  (let [[v chosen] (best (dec (count items)) cap)]
    (println "capacity" cap "value" v "items" chosen)))
