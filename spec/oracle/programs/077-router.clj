(require '[clojure.string :as str])
(defn compile-route [pattern]
  (mapv #(if (str/starts-with? % ":") (keyword (subs % 1)) %) (remove empty? (str/split pattern #"/"))))
(defn match [route path]
  (let [segs (vec (remove empty? (str/split path #"/")))]
    (when (= (count route) (count segs))
      (reduce (fn [acc [r s]] (cond (keyword? r) (assoc acc r s) (= r s) acc :else (reduced nil))) {} (map vector route segs)))))
(def routes [[:get (compile-route "/") (fn [_] "home")]
             [:get (compile-route "/users/:id") (fn [{:keys [id]}] (str "user " id))]
             [:post (compile-route "/users/:id/posts/:pid") (fn [{:keys [id pid]}] (str "post " pid " by " id))]])
(defn dispatch [method path]
  (or (some (fn [[m r h]] (when-let [params (and (= m method) (match r path))] {:status 200 :body (h params)})) routes)
      {:status 404 :body (str "no route for " path)}))
(doseq [[m p] [[:get "/"] [:get "/users/42"] [:post "/users/7/posts/9"] [:get "/users"] [:post "/users/1"]]]
  (println m p (dispatch m p)))
