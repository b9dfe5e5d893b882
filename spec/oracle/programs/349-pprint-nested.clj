(require '[clojure.pprint :as pp])
(def data
  {:users
   [{:id 1 :name "Alice Wonderland" :roles #{:admin} :address
     {:street "1 Long Street Name" :city "Springfield" :zip "12345"}}
    {:id 2 :name "Bob Builder" :roles #{} :address nil}]
   :meta {:page 1 :total 2 :tags ["alpha" "beta" "gamma" "delta" "epsilon" "zeta" "eta" "theta"]}})
(pp/pprint data)
(pp/pprint (:users data))
(pp/pprint [:a [:b [:c [:d]]]])
(pp/pprint
 (zipmap (map #(keyword (str "key-" %)) (range 5)) (map #(vec (range (* 5 %))) (range 5))))
(pp/pprint
 '(let [a 1 b 2]
    (when (> a b) (println "long enough text to make it wrap around the line") (recur a b))))
(println (with-out-str (pp/pprint {:a 1})))
(pp/print-table [:id :name] (:users data))
(pp/pprint (list 1 2 3))
(pp/pprint "a\nb")
(pp/pprint 'sym)
(pp/pprint 1.5)
(pp/pprint [nil true \a])
(pp/pprint #{:one})
(pp/pprint (sorted-map :b {:x (range 30)} :a "y"))
