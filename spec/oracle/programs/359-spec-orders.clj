(ns shop.orders
  (:require [clojure.spec.alpha :as s]
            [clojure.spec.test.alpha :as st]))

(s/def ::id pos-int?)
(s/def ::email (s/and string? #(re-matches #".+@.+" %)))
(s/def ::sku (s/or :code string? :number int?))
(s/def ::quantity (s/int-in 1 100))
(s/def ::item (s/keys :req-un [::sku ::quantity]))
(s/def ::items (s/coll-of ::item :min-count 1))
(s/def ::order (s/keys :req-un [::id ::items (or ::email ::phone)]))

(def good {:id 1 :email "a@b" :items [{:sku "x" :quantity 2} {:sku 7 :quantity 1}]})
(prn (s/valid? ::order good))
(prn (s/conform ::order good))
(prn (= good (s/unform ::order (s/conform ::order good))))
(doseq [bad [{} (assoc good :id 0) (assoc good :items []) (assoc-in good [:items 1 :quantity] 100) (dissoc good :email)]]
  (s/explain ::order bad))

(defmulti event :type)
(s/def ::type keyword?)
(s/def ::reason string?)
(defmethod event :paid [_] (s/keys :req-un [::type ::id]))
(defmethod event :cancelled [_] (s/keys :req-un [::type ::reason]))
(s/def ::event (s/multi-spec event :type))
(s/explain ::event {:type :paid :id 1})
(s/explain ::event {:type :cancelled})
(s/explain ::event {:type :lost})

(s/def ::command
  (s/cat :name symbol?
         :flags (s/* (s/cat :flag keyword? :value (s/? (s/alt :n int? :s string?))))
         :body (s/spec (s/+ ::item))))
(prn (s/conform ::command ['add :force :level 3 [{:sku 1 :quantity 1}]]))
(s/explain ::command ['add :level 3])
(s/explain ::command ['add []])
(s/explain ::command ['add [{:sku 1 :quantity 0}] 5])

(s/fdef total
  :args (s/cat :order ::order :rate (s/? (s/double-in :min 0.0 :max 1.0)))
  :ret number?)
(defn total
  ([order] (total order 1.0))
  ([order rate] (* rate (reduce + (map :quantity (:items order))))))
(prn (total {:items [{:quantity 3}]}))
(prn (st/instrument `total))
(prn (total good 0.5))
(try (total {:items [{:quantity 3}]})
     (catch clojure.lang.ExceptionInfo e
       (println (ex-message e))
       (prn (map :pred (::s/problems (ex-data e))) (::s/failure (ex-data e)))))
(prn (st/unstrument `total))
(prn (total {:items [{:quantity 3}]}))

(prn (s/assert ::id 0))
(s/check-asserts true)
(try (s/assert ::id 0) (catch Exception e (println (ex-message e))))
(s/check-asserts false)
(prn (s/describe ::order))
