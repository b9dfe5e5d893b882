(defn minutes [s] (let [[_ h m] (re-matches #"(\d+):(\d+)" s)] (+ (* 60 (parse-long h)) (parse-long m))))
(defn hhmm [m] (format "%02d:%02d" (quot m 60) (mod m 60)))
(def meetings [{:name "standup" :start "09:00" :end "09:15"} {:name "planning" :start "09:10" :end "10:30"}
               {:name "lunch" :start "12:00" :end "13:00"} {:name "review" :start "12:45" :end "14:00"}
               {:name "retro" :start "15:00" :end "16:00"}])
(def parsed (map #(-> % (update :start minutes) (update :end minutes)) meetings))
(defn overlaps? [a b] (and (< (:start a) (:end b)) (< (:start b) (:end a))))
(doseq [[a & others] (take-while seq (iterate rest parsed)) b others :when (overlaps? a b)]
  (println (:name a) "conflicts with" (:name b)))
(defn merge-intervals [ms]
  (reduce (fn [acc {:keys [start end]}]
            (let [[s e] (peek acc)]
              (if (and e (<= start e)) (conj (pop acc) [s (max e end)]) (conj acc [start end]))))
          [] (sort-by :start ms)))
(def busy (merge-intervals parsed))
(println "busy:" (map #(mapv hhmm %) busy))
(def free (filter (fn [[a b]] (< a b)) (map vector (cons (minutes "08:00") (map second busy)) (conj (mapv first busy) (minutes "18:00")))))
(doseq [[a b] free] (println "free" (hhmm a) "-" (hhmm b) (str "(" (- b a) " min)")))
(reduce + (map (fn [[a b]] (- b a)) busy))
