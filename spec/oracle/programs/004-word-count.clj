(require '[clojure.string :as str])

(def text "It was the best of times, it was the worst of times,
it was the age of wisdom, it was the age of foolishness")

(defn words [s]
  (->> (str/split (str/lower-case s) #"\W+")
       (remove str/blank?)))

(def counts (frequencies (words text)))

(doseq [[w n] (sort-by (juxt (comp - val) key) counts)]
  (println w n))

(println "distinct:" (count counts))
(println "longest:" (apply max-key count (sort (keys counts))))
counts
