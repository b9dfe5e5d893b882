(defn score [guess answer]
  (let [exact (map = guess answer)
        pool (frequencies (keep (fn [[a e]] (when-not e a)) (map vector answer exact)))]
    (first (reduce (fn [[out pool] [g e]]
                     (cond e [(conj out :green) pool]
                           (pos? (get pool g 0)) [(conj out :yellow) (update pool g dec)]
                           :else [(conj out :grey) pool]))
                   [[] pool] (map vector guess exact)))))
(defn show [g a] (apply str (map {:green \G :yellow \Y :grey \.} (score g a))))
(doseq [[g a] [["crane" "crate"] ["speed" "erase"] ["allow" "local"] ["aaaaa" "banal"]]] (println g a (show g a)))
(def words ["crane" "crate" "trace" "slate" "stale"])
(->> words (filter #(= (score "crane" "trace") (score "crane" %))))
