(def transitions
  {:red {:timer :green}
   :green {:timer :yellow, :emergency :red}
   :yellow {:timer :red, :emergency :red}})

(defn next-state [state event]
  (get-in transitions [state event] state))

(def events [:timer :timer :emergency :timer :noop :emergency])
(println (reductions next-state :red events))
(doseq [[a e b] (map vector
                     (reductions next-state :red events)
                     events
                     (rest (reductions next-state :red events)))]
  (println (format "%-7s --%s--> %s" (name a) (name e) (name b))))
(reduce next-state :red events)
