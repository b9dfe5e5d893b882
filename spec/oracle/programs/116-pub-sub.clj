(def subs* (atom {}))
(defn subscribe! [topic id f] (swap! subs* assoc-in [topic id] f))
(defn unsubscribe! [topic id] (swap! subs* update topic dissoc id))
(defn publish! [topic msg]
  (doseq [[id f] (sort-by key (get @subs* topic))]
    (try (f msg) (catch Exception e (println "subscriber" id "failed:" (ex-message e))))))
(def inbox (atom []))
(subscribe! :news :a #(swap! inbox conj [:a %]))
(subscribe! :news :b #(println "b got" %))
(subscribe! :news :c (fn [_] (throw (ex-info "broken" {}))))
(publish! :news "hello")
(unsubscribe! :news :c)
(publish! :news {:n 1})
(publish! :other "ignored")
(println (update-vals @subs* (comp sort keys)))
@inbox
