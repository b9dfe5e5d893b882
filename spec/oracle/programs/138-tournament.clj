(require '[clojure.string :as str])
(def results "Lions;Bears;win\nBears;Tigers;draw\nTigers;Lions;loss\nBears;Lions;loss")
(defn record [table [home away r]]
  (let [add (fn [t team k p] (-> t (update-in [team k] (fnil inc 0)) (update-in [team :pts] (fnil + 0) p)))]
    (case r
      "win" (-> table (add home :w 3) (add away :l 0))
      "loss" (-> table (add away :w 3) (add home :l 0))
      "draw" (-> table (add home :d 1) (add away :d 1)))))
(def table (reduce record {} (map #(str/split % #";") (str/split-lines results))))
(println (format "%-10s| MP | W | D | L | P" "Team"))
(doseq [[team {:keys [w d l pts] :or {w 0 d 0 l 0}}] (sort-by (fn [[t {:keys [pts]}]] [(- pts) t]) table)]
  (println (format "%-10s| %2d |%2d |%2d |%2d |%2d" team (+ w d l) w d l pts)))
table
