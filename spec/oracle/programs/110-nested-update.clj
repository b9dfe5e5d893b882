(def game {:players [{:name "A" :hp 10 :bag {:gold 5}} {:name "B" :hp 8 :bag {:gold 0 :potion 1}}] :round 1})
(defn damage [g i n] (update-in g [:players i :hp] #(max 0 (- % n))))
(defn give [g from to n]
  (-> g (update-in [:players from :bag :gold] - n) (update-in [:players to :bag :gold] + n)))
(defn drink [g i]
  (if (pos? (get-in g [:players i :bag :potion] 0))
    (-> g (update-in [:players i :bag :potion] dec) (update-in [:players i :hp] + 5))
    g))
(def end (-> game (damage 0 3) (damage 1 20) (give 0 1 2) (drink 1) (drink 0) (update :round inc) (assoc-in [:meta :winner] 0)))
(prn end)
(println (get-in end [:players 1 :bag :gold]) (get-in end [:nope :x] :none) (mapv :hp (:players end)))
(println (update-in {} [:a :b] (fnil conj []) 1) (assoc-in {} [:x 0] :y))
(dissoc end :players)
