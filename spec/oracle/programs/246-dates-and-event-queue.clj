(require '[clojure.string :as str])
;; discrete event simulation with a priority queue in a sorted map, and hand made dates
(defn leap? [y] (and (zero? (mod y 4)) (or (pos? (mod y 100)) (zero? (mod y 400)))))
(defn days-in [y m] (case m 2 (if (leap? y) 29 28) (4 6 9 11) 30 31))
(defn iso->days [s]
  (let [[y m d] (map parse-long (rest (re-matches #"(\d{4})-(\d\d)-(\d\d)" s)))
        y (if (<= m 2) (dec y) y) era (Math/floorDiv (long y) 400) yoe (- y (* era 400))
        doy (+ (quot (+ (* 153 (mod (+ m 9) 12)) 2) 5) (dec d)) doe (+ (* yoe 365) (quot yoe 4) (- (quot yoe 100)) doy)]
    (+ (* era 146097) doe -719468)))
(defn days->iso [z]
  (let [z (+ z 719468) era (Math/floorDiv (long z) 146097) doe (- z (* era 146097))
        yoe (quot (- doe (quot doe 1460) (- (quot doe 36524)) (quot doe 146096)) 365)
        doy (- doe (- (+ (* 365 yoe) (quot yoe 4)) (quot yoe 100))) mp (quot (+ (* 5 doy) 2) 153)
        d (inc (- doy (quot (+ (* 153 mp) 2) 5))) m (if (< mp 10) (+ mp 3) (- mp 9))]
    (format "%04d-%02d-%02d" (+ yoe (* era 400) (if (<= m 2) 1 0)) m d)))
(defn weekday [s] (nth [:thu :fri :sat :sun :mon :tue :wed] (mod (iso->days s) 7)))
(println (map iso->days ["1970-01-01" "2000-02-29" "2024-12-31" "1969-12-31" "1600-03-01"]))
(println (map (comp days->iso iso->days) ["1970-01-01" "2000-02-29" "2100-02-28" "0001-01-01"]) (map weekday ["2024-02-29" "1969-07-20"]))
(println (every? #(= % (iso->days (days->iso %))) (range -700000 800000 997)))
(defn add-months [s n]
  (let [[y m d] (map parse-long (str/split s #"-")) k (+ (* y 12) (dec m) n) y (quot k 12) m (inc (rem k 12))]
    (format "%04d-%02d-%02d" y m (min d (days-in y m)))))
(println (map #(add-months "2024-01-31" %) [0 1 2 12 13 -1 -11]))
(defn recurrences [{:keys [start every unit times]}]
  (take times (case unit
                :day (map days->iso (iterate #(+ every %) (iso->days start)))
                :month (map #(add-months start (* every %)) (range))
                :workday (->> (iterate inc (iso->days start)) (map days->iso) (remove (comp #{:sat :sun} weekday)) (take-nth every)))))
(doseq [r [{:start "2024-02-27" :every 1 :unit :day :times 4} {:start "2024-10-31" :every 1 :unit :month :times 5} {:start "2024-03-01" :every 2 :unit :workday :times 4}]]
  (println (:unit r) (recurrences r)))
(defn push [q t e] (update q t (fnil conj []) e))
(defn pop-event [q] (when-let [[t [e & more]] (first q)] [t e (if more (assoc q t (vec more)) (dissoc q t))]))
(defn lcg [seed] (mod (+ (* 1103515245 seed) 12345) 2147483648))
(defmulti step (fn [_ _ [kind]] kind))
(defmethod step :arrive [{:keys [seed n] :as s} t [_ id]]
  (let [s' (-> s (assoc :seed (lcg seed)) (update :queue conj [id t]) (update :log conj [t :arrive id]))
        s' (if (< id n) (update s' :events push (+ t 1 (mod (quot (:seed s') 65536) 5)) [:arrive (inc id)]) s')]
    (if (:busy s) s' (update s' :events push t [:start]))))
(defmethod step :start [{:keys [queue seed busy] :as s} t _]
  (if (or busy (empty? queue)) s
    (let [[id since] (peek queue) seed (lcg seed)]
      (-> s (assoc :busy id :seed seed :queue (pop queue)) (update :waits conj (- t since))
          (update :log conj [t :start id]) (update :events push (+ t 2 (mod (quot seed 65536) 4)) [:leave id])))))
(defmethod step :leave [s t [_ id]] (-> s (assoc :busy nil) (update :log conj [t :leave id]) (update :events push t [:start])))
(def end
  (loop [s {:events (sorted-map 0 [[:arrive 1]]) :queue clojure.lang.PersistentQueue/EMPTY :seed 42 :n 8 :waits [] :log []} n 0]
    (if-let [[t e more] (pop-event (:events s))]
      (recur (step (assoc s :events more :now t) t e) (inc n))
      (assoc s :steps n))))
(doseq [[t g] (sort (group-by first (:log end)))] (println (format "%3d" t) (map rest g)))
(println (select-keys end [:steps :now :waits :seed :busy]) (seq (:queue end)))
(defn stats [xs] (let [n (count xs) mean (/ (reduce + xs) n) s (sort xs)]
  {:n n :mean mean :median (if (odd? n) (nth s (quot n 2)) (/ (+ (nth s (quot n 2)) (nth s (dec (quot n 2)))) 2))
   :var (/ (reduce + (map #(* (- % mean) (- % mean)) xs)) n) :sd (Math/sqrt (double (/ (reduce + (map #(* (- % mean) (- % mean)) xs)) n)))}))
(stats (:waits end))
