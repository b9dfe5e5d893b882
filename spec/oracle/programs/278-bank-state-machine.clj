(def transitions
  {:idle {:insert :has-card} :has-card {:pin-ok :menu :pin-bad :has-card :eject :idle} :menu
   {:withdraw :dispensing :eject :idle} :dispensing {:done :idle}})
(defn step [{:keys [state log] :as m} ev]
  (if-let [nxt (get-in transitions [state ev])] (assoc m :state nxt :log (conj log [state ev nxt]))
          (update m :errors (fnil conj []) {:state state :event ev})))
(def end
  (reduce step {:state :idle :log []} [:insert :pin-bad :withdraw :pin-ok :withdraw :done :eject]))
(clojure.pprint/pprint end)
(doseq [[a e b] (:log end)] (println (format "%-10s --%-8s--> %s" (name a) (name e) (name b))))
(println (clojure.string/join " -> " (map name (cons :idle (map peek (:log end))))))
