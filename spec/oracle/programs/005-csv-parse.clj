(ns csv.demo
  (:require [clojure.string :as str]))

(def data
  "id,name,dept,salary
1,Alice,Engineering,120000
2,Bob,Marketing,80000
3,Carol,Engineering,135000
4,Dan,Sales,70000
5,Eve,Marketing,95000")

(defn parse-csv [s]
  (let [[header & rows] (map #(str/split % #",") (str/split-lines s))
        ks (map keyword header)]
    (map #(zipmap ks %) rows)))

(defn coerce [row]
  (-> row
      (update :id parse-long)
      (update :salary parse-long)))

(def employees (map coerce (parse-csv data)))

(prn (first employees))

(doseq [[dept es] (sort (group-by :dept employees))]
  (println dept)
  (println "  headcount:" (count es))
  (println "  average:  " (/ (reduce + (map :salary es)) (count es)))
  (println "  top:      " (:name (apply max-key :salary es))))

(let [total (transduce (map :salary) + employees)]
  (println "total" total))
