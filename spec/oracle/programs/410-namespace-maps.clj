;; A map whose keys share a namespace is printed with the namespace in front, as in a script.
(require '[clojure.pprint :as pp] '[clojure.string :as str])

(def order {:order/id 7 :order/lines [{:line/sku "A" :line/qty 2} {:line/sku "B" :line/qty 1}]})

(prn order)
(println order)
(println (str order) (pr-str {:user/name "Ann"}))
(prn {:a/b 1 :c 2} {:a/b 1 :b/c 2} {'q/a 1 'q/b 2} {} {"a" 1})
(prn (sorted-map :z/b 2 :z/a 1))
(prn {:a/seq (map inc [1 2])} (list {:a/lazy (filter odd? (range 5))}))
(pp/pprint order)
(pp/pprint {:config/name "a long name that takes space" :config/values {:v/first "the first value of all" :v/second (range 12)}})
(println (pp/cl-format nil "~a ~s" {:a/b 1} {:a/b "x"}))
(defrecord Point [x y])
(prn (assoc (->Point 1 2) :p/z 3) {:p/point (->Point {:q/x 1} nil)})
(prn (zipmap [:n/a :n/b] (range)))
(println (format "%s" {:k/v 1}) (str/join "," [{:k/v 1} {:k/v 2}]))
(binding [*print-namespace-maps* false]
  (prn order)
  (pp/pprint {:a/b 1})
  (println (map identity [{:a/b 1}])))
(binding [*print-length* 1]
  (prn {:a/b 1 :a/c 2}))
(prn (read-string "#:a{:b 1, :_/c 2}"))
(prn @(future (pr-str {:a/b 1})))
(prn (try (throw (ex-info "bad" {:err/code 3})) (catch Exception e (ex-data e))))
