(def roles {:guest #{:read} :user #{:read :comment} :admin #{:read :comment :delete :ban}})
(def inherits {:admin [:user] :user [:guest]})
(defn all-perms [role] (into (roles role #{}) (mapcat all-perms (inherits role))))
(defmacro with-permission [user perm & body]
  `(let [u# ~user]
     (if (contains? (all-perms (:role u#)) ~perm)
       (do ~@body)
       (throw (ex-info (str (:name u#) " may not " (name ~perm)) {:type :forbidden :perm ~perm})))))
(defn delete-post [user id] (with-permission user :delete (println (:name user) "deleted" id) :deleted))
(doseq [u [{:name "root" :role :admin} {:name "joe" :role :user} {:name "x" :role :nobody}]]
  (println (try (delete-post u 7) (catch clojure.lang.ExceptionInfo e [(ex-message e) (:type (ex-data e))]))))
(into (sorted-map) (map (juxt identity (comp sort all-perms)) (keys roles)))
