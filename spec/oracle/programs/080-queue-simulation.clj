(def customers [{:id 1 :arrive 0 :service 4} {:id 2 :arrive 1 :service 3} {:id 3 :arrive 2 :service 1} {:id 4 :arrive 9 :service 2}])
(defn simulate [customers tellers]
  (loop [cs customers free (vec (repeat tellers 0)) done []]
    (if-let [{:keys [id arrive service]} (first cs)]
      (let [[i t] (apply min-key second (reverse (map-indexed vector free)))
            start (max arrive t)
            end (+ start service)]
        (recur (rest cs) (assoc free i end) (conj done {:id id :teller i :start start :end end :wait (- start arrive)})))
      done)))
(doseq [n [1 2]]
  (println "tellers:" n)
  (let [r (simulate customers n)]
    (doseq [{:keys [id teller start end wait]} r] (println (format "  #%d teller %d %2d-%2d wait %d" id teller start end wait)))
    (println "  avg wait" (/ (reduce + (map :wait r)) (count r)))))
