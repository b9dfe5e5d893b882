(def response
  {:status 200
   :body {:users [{:id 1 :profile {:first "Ann" :last "Lee"} :roles [:admin :dev]}
                  {:id 2 :profile {:first "Bob" :last "Ray"} :roles [:dev]}
                  {:id 3 :profile {:first "Cy"} :roles []}]
          :page {:number 1 :total 3}}})
(let [{:keys [status] {:keys [users] {:keys [number total]} :page} :body} response]
  (println "status" status "page" number "of" total)
  (doseq [{id :id {:keys [first last] :or {last "?"}} :profile [main-role] :roles} users]
    (println id first last main-role)))
(defn summarize [{{:keys [users]} :body}]
  (reduce (fn [acc {:keys [id roles]}]
            (reduce #(update %1 %2 (fnil conj #{}) id) acc roles))
          {} users))
(println (summarize response))
(defn connect [host & {:keys [port timeout] :or {port 80 timeout 30} :as opts}]
  [host port timeout opts])
(println (connect "a.com"))
(println (connect "b.com" :port 8080))
(let [[a [b & c] & {:keys [d]}] [1 [2 3 4] :d 5]] (println a b c d))
(let [{:strs [x] :syms [y] :user/keys [z]} {"x" 1 'y 2 :user/z 3}] [x y z])
