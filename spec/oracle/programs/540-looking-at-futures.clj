; loops that look until a future has ended, without a wait
(let [f (future (reduce + (range 100)))]
  (loop [] (if (future-done? f) (prn @f) (recur))))
(let [p (promise)]
  (future (deliver p 3))
  (while (not (realized? p)))
  (prn @p))
(let [f (future (let [g (future 2)] (while (not (.isDone g))) (inc @g)))]
  (while (not (future-done? f)))
  (prn @f))
(let [seen (atom #{}) done? (atom false)
      f (future (doseq [x (range 50)] (swap! seen conj x)))]
  (loop []
    (if (or (@seen 49) (future-done? f))
      (do (reset! done? true) @f (prn (count @seen) @done?))
      (recur))))
