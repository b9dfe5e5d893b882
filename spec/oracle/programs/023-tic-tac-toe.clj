(def lines (concat (partition 3 (range 9))
                   (apply map list (partition 3 (range 9)))
                   [[0 4 8] [2 4 6]]))

(defn winner [board]
  (some (fn [line]
          (let [vs (map board line)]
            (when (and (first vs) (apply = vs)) (first vs))))
        lines))

(defn moves [board] (filter #(nil? (board %)) (range 9)))
(defn other [p] (if (= p :x) :o :x))

(defn minimax [board player]
  (cond
    (= :x (winner board)) 1
    (= :o (winner board)) -1
    (empty? (moves board)) 0
    :else (apply (if (= player :x) max min)
                 (map #(minimax (assoc board % player) (other player)) (moves board)))))

(defn best-move [board player]
  (apply (if (= player :x) max-key min-key)
         #(minimax (assoc board % player) (other player))
         (moves board)))

(defn show [board]
  (doseq [row (partition 3 board)]
    (println (apply str (interpose "|" (map #(if % (name %) " ") row))))))

(def start [:x nil :o
            nil :x nil
            :o nil nil])
(loop [board start player :x]
  (show board)
  (println "--")
  (cond
    (winner board) (println "winner" (winner board))
    (empty? (moves board)) (println "draw")
    :else (recur (assoc board (best-move board player) player) (other player))))
