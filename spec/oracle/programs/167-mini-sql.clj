(require '[clojure.string :as str])
(def db {:people [{:name "Ann" :age 30 :city "Oslo"} {:name "Bob" :age 25 :city "Rome"} {:name "Cyd" :age 35 :city "Oslo"}]})
(def ops {"=" = ">" #(pos? (compare %1 %2)) "<" #(neg? (compare %1 %2))})
(defn parse-lit [s] (or (parse-long s) (str/replace s "'" "")))
(defn query [sql]
  (if-let [[_ cols table _ col op lit _ order] (re-matches #"(?i)select (.+?) from (\w+)( where (\w+) ?([=<>]) ?(\S+))?( order by (\w+))?" sql)]
    (let [ks (when (not= cols "*") (map (comp keyword str/trim) (str/split cols #",")))]
      (cond->> (get db (keyword table))
        col (filter #((ops op) ((keyword col) %) (parse-lit lit)))
        order (sort-by (keyword order))
        ks (map #(select-keys % ks))))
    (throw (ex-info "Syntax error" {:sql sql}))))
(doseq [q ["select * from people" "SELECT name FROM people WHERE age > 26" "select name, city from people where city = 'Oslo' order by age" "select age from people order by age" "delete all"]]
  (println q)
  (try (run! #(println "  " %) (query q)) (catch clojure.lang.ExceptionInfo e (println "  !" (ex-message e)))))
