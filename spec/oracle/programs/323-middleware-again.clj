(defn wrap-log [h]
  (fn [r] (println "->" (:uri r)) (let [resp (h r)] (println "<-" (:status resp)) resp)))
(defn wrap-auth [h] (fn [r] (if (:user r) (h r) {:status 401})))
(defn wrap-err [h] (fn [r] (try (h r) (catch Exception e {:status 500 :body (.getMessage e)}))))
(defn app [{:keys [uri]}]
  (case uri "/" {:status 200 :body "home"} "/boom" (throw (RuntimeException. "kaboom"))
        {:status 404}))
(def handler (-> app wrap-auth wrap-err wrap-log))
(println (mapv handler [{:uri "/" :user 1} {:uri "/"} {:uri "/boom" :user 1} {:uri "/x" :user 2}]))
(println ((reduce (fn [f g] (comp g f)) identity [inc #(* 2 %) str]) 5) ((apply comp [str inc]) 1)
         ((comp) 1) (map (partial apply +) [[1 2] [3]]) ((every-pred pos? even?) 2 4)
         ((some-fn :a :b) {:b 1}) ((complement empty?) [1]) ((juxt :a :b) {:a 1}) ((fnil conj []) nil 1)
         ((partial max 5) 3 9) ((constantly 7) 1 2) (apply (partial map vector) [[1 2] [3 4]]))
