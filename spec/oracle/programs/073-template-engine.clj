(require '[clojure.string :as str])
(defn render [template ctx]
  (str/replace template #"\{\{\s*([\w.]+)\s*\}\}"
               (fn [[whole path]]
                 (let [v (get-in ctx (map keyword (str/split path #"\.")) ::missing)]
                   (if (= v ::missing) whole (str v))))))
(println (render "Hello {{name}}, you have {{ stats.count }} messages from {{ who }}" {:name "Ann" :stats {:count 3}}))
(defn each [template items] (str/join "\n" (map #(render template %) items)))
(println (each "* {{title}} ({{year}})" [{:title "Dune" :year 1965} {:title "Emma" :year 1815}]))
(println (render "{{a}} costs $5 \\ {{b}}" {:a nil :b "$1"}))
(re-seq #"\{\{(\w+)\}\}" "{{a}} {{b}}")
