(require '[clojure.string :as str])
(defrecord Task [id priority deps duration])
(defn task [id p d & deps] (->Task id p (set deps) d))
(def tasks [(task :compile 2 3 :fetch) (task :fetch 1 2) (task :test 3 5 :compile) (task :lint 5 1 :fetch) (task :deploy 1 2 :test :lint) (task :docs 4 2)])
(defn ready [done pending] (->> pending (filter #(every? done (:deps %))) (sort-by (juxt (comp - :priority) :id))))
(defn simulate [tasks workers]
  (loop [t 0 running [] done #{} pending (set tasks) events []]
    (cond
      (and (empty? running) (empty? pending)) {:finished t :events events}
      :else
      (let [free (- workers (count running))
            start (take free (ready done pending))]
        (if (seq start)
          (recur t (into running (map #(assoc % :end (+ t (:duration %)))) start) done (reduce disj pending start)
                 (into events (map #(vector t :start (:id %))) start))
          (let [next-t (apply min (map :end running))
                {fin true still false} (group-by #(= next-t (:end %)) running)]
            (recur next-t (vec still) (into done (map :id) fin) pending
                   (into events (map #(vector next-t :end (:id %))) (sort-by :id fin)))))))))
(doseq [w [1 2 3]]
  (let [{:keys [finished events]} (simulate tasks w)]
    (println (format "workers=%d finished=%d" w finished))
    (doseq [[t evs] (sort (group-by first events))]
      (println (str "  " (format "%2d" t) " " (str/join ", " (for [[_ k id] evs] (str (name k) " " (name id)))))))))
(defn gantt [{:keys [events]}]
  (let [spans (reduce (fn [m [t k id]] (assoc-in m [id k] t)) {} events)]
    (for [[id {:keys [start end]}] (sort-by (comp :start val) spans)]
      (format "%-8s|%s%s" (name id) (apply str (repeat start ".")) (apply str (repeat (- end start) "#"))))))
(run! println (gantt (simulate tasks 2)))
(defn critical [tasks]
  (let [by-id (into {} (map (juxt :id identity)) tasks)
        f (memoize (fn [self id] (let [{:keys [deps duration]} (by-id id)] (+ duration (apply max 0 (map #(self self %) deps))))))]
    (into (sorted-map) (map (fn [id] [id (f f id)])) (keys by-id))))
(critical tasks)
