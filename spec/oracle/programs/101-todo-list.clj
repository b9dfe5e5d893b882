(require '[clojure.string :as str])
(def todos (atom {:next-id 1 :items (sorted-map)}))
(defn add! [title & tags]
  (swap! todos (fn [{:keys [next-id] :as t}]
                 (-> t (update :next-id inc)
                     (assoc-in [:items next-id] {:title title :done false :tags (set tags)})))))
(defn complete! [id]
  (when-not (get-in @todos [:items id]) (throw (ex-info "unknown todo" {:id id})))
  (swap! todos assoc-in [:items id :done] true))
(defn listing []
  (str/join "\n" (for [[id {:keys [title done tags]}] (:items @todos)]
                   (str (if done "[x] " "[ ] ") id ". " title (when (seq tags) (str " #" (str/join " #" (sort (map name tags)))))))))
(add! "Buy milk" :home)
(add! "Write report" :work :urgent)
(add! "Call Bob")
(complete! 2)
(println (listing))
(try (complete! 9) (catch clojure.lang.ExceptionInfo e (println (.getMessage e) (:id (ex-data e)))))
(let [{done true open false} (group-by :done (vals (:items @todos)))]
  (println (count done) "done," (count open) "open"))
(:next-id @todos)
