(defn run [quantum procs]
  (loop [q (into clojure.lang.PersistentQueue/EMPTY procs) t 0 log []]
    (if (empty? q)
      log
      (let [[n left] (peek q) used (min quantum left) t' (+ t used)]
        (if (= used left)
          (recur (pop q) t' (conj log [n :done t']))
          (recur (conj (pop q) [n (- left used)]) t' (conj log [n :yield t'])))))))
(doseq [[n what t] (run 3 [["A" 5] ["B" 2] ["C" 7]])] (println (format "%3d %s %s" t n (name what))))
(into {} (for [[n what t] (run 2 [["A" 5] ["B" 2]]) :when (= what :done)] [n t]))
