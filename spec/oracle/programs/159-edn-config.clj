(require '[clojure.edn :as edn])
(def cfg (edn/read-string "{:db {:host \"localhost\" :port 5432}
 ; comment
 :features #{:a :b} :ratio 1/3 :list (1 2 #_3 4) :id #uuid \"b6883c0a-0342-4007-9966-bc2dfa6b109e\"}"))
(println (:db cfg) (get-in cfg [:db :port]))
(println (sort (:features cfg)) (:ratio cfg) (:list cfg) (:id cfg))
(println (edn/read-string {:readers {'point (fn [[x y]] {:x x :y y})}} "[#point [1 2]]"))
(println (edn/read-string {:default (fn [tag v] [tag v])} "#unknown {:a 1}"))
(println (try (edn/read-string "{:a}") (catch RuntimeException e (.getMessage e))))
(println (try (edn/read-string "(1 2") (catch RuntimeException e (.getMessage e))))
(= cfg (edn/read-string (pr-str cfg)))
