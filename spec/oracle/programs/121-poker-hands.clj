(def ranks (zipmap "23456789TJQKA" (range 2 15)))
(defn parse [hand] (map (fn [[r s]] {:rank (ranks r) :suit s}) (re-seq #"\S\S" hand)))
(defn classify [hand]
  (let [cards (parse hand) rs (sort (map :rank cards)) freqs (sort > (vals (frequencies rs)))
        flush? (apply = (map :suit cards))
        straight? (or (= rs (range (first rs) (+ 5 (first rs)))) (= rs [2 3 4 5 14]))]
    (cond (and flush? straight?) :straight-flush
          (= freqs [4 1]) :four
          (= freqs [3 2]) :full-house
          flush? :flush
          straight? :straight
          (= (first freqs) 3) :three
          (= freqs [2 2 1]) :two-pair
          (= (first freqs) 2) :pair
          :else :high-card)))
(doseq [h ["2H 3H 4H 5H 6H" "KS KD KH KC 2D" "TS TD TH 2C 2D" "2H 9H 4H KH 6H" "AS 2D 3C 4H 5S" "7S 7D 7H 2C 9D" "7S 7D 2H 2C 9D" "AS AD 2H 5C 9D" "AS KD 2H 5C 9D"]]
  (println h (classify h)))
(defn tiebreak [hand] (->> (parse hand) (map :rank) frequencies (sort-by (juxt val key)) reverse (map key)))
(tiebreak "7S 7D 2H 2C 9D")
