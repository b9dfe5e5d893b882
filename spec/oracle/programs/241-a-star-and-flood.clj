(require '[clojure.string :as str])
(def grid-text
  ["S..#......"
   ".#.#.####."
   ".#...#..#."
   ".#####.##."
   "......~..."
   ".####~~~#."
   ".#..#~#.#."
   "...##.#..G"])
(def grid (into {} (for [[y row] (map-indexed vector grid-text) [x c] (map-indexed vector row)] [[x y] c])))
(defn find-cell [c] (some (fn [[p v]] (when (= v c) p)) grid))
(def cost {\. 1 \~ 5 \S 1 \G 1})
(defn neighbours [[x y]]
  (for [[dx dy] [[1 0] [-1 0] [0 1] [0 -1]]
        :let [p [(+ x dx) (+ y dy)] c (grid p)]
        :when (and c (not= c \#))]
    p))
(defn manhattan [[a b] [c d]] (+ (Math/abs (long (- a c))) (Math/abs (long (- b d)))))
(defn a-star [start goal h]
  (loop [open (sorted-set [(h start goal) start]) g {start 0} from {} seen 0]
    (if-let [[f p :as head] (first open)]
      (if (= p goal)
        {:cost (g p) :expanded seen
         :path (vec (reverse (take-while some? (iterate from p))))}
        (let [better (for [q (neighbours p)
                           :let [c (+ (g p) (cost (grid q)))]
                           :when (< c (g q ##Inf))]
                       [q c])]
          (recur (into (disj open head) (map (fn [[q c]] [(+ c (h q goal)) q])) better)
                 (into g better)
                 (into from (map (fn [[q _]] [q p])) better)
                 (inc seen))))
      :unreachable)))
(def start (find-cell \S))
(def goal (find-cell \G))
(def result (a-star start goal manhattan))
(def blind (a-star start goal (constantly 0)))
(println "A*" (:cost result) (:expanded result) (count (:path result)))
(println "Dijkstra" (:cost blind) (:expanded blind) (= (:cost result) (:cost blind)))
(doseq [[y row] (map-indexed vector grid-text)]
  (println (apply str (map-indexed (fn [x c] (if (and (#{\. \~} c) (some #{[x y]} (:path result))) \* c)) row))))
(println (a-star start [2 6] manhattan))
(println (a-star start [99 99] manhattan))
(defn flood [from]
  (loop [seen #{from} todo (conj clojure.lang.PersistentQueue/EMPTY [from 0]) dist (sorted-map)]
    (if (empty? todo)
      dist
      (let [[p d] (peek todo) fresh (remove seen (neighbours p))]
        (recur (into seen fresh) (into (pop todo) (map #(vector % (inc d)) fresh)) (update dist d (fnil conj []) p))))))
(println (into {} (map (fn [[d ps]] [d (count ps)])) (flood start)))
(def components
  (loop [left (set (keep (fn [[p c]] (when (not= c \#) p)) grid)) n 0 out []]
    (if-let [p (first (sort left))]
      (let [comp (set (mapcat val (flood p)))]
        (recur (reduce disj left comp) (inc n) (conj out (count comp))))
      out)))
(println "components" components)
(println (frequencies (vals grid)))
(str/join "|" (map (fn [[x y]] (str x "," y)) (:path result)))
