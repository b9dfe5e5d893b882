(defn make-stack []
  (let [items (atom [])]
    {:push (fn [x] (swap! items conj x) nil)
     :pop (fn [] (let [x (peek @items)] (when x (swap! items pop)) x))
     :size (fn [] (count @items))}))
(defn send-msg [obj msg & args] (apply (or (obj msg) (throw (ex-info "No method" {:msg msg}))) args))
(def s (make-stack))
(send-msg s :push 1)
(send-msg s :push :two)
(println (send-msg s :size) (send-msg s :pop) (send-msg s :pop) (send-msg s :pop) (send-msg s :size))
(try (send-msg s :explode) (catch Exception e (prn (ex-data e))))
(defn make-counter [& {:keys [start step] :or {start 0 step 1}}]
  (let [n (atom (- start step))] #(swap! n + step)))
(let [a (make-counter) b (make-counter :start 10 :step 5)]
  (println [(a) (a) (b) (a) (b)]))
(def adders (mapv (fn [n] #(+ n %)) (range 3)))
(map #(% 10) adders)
