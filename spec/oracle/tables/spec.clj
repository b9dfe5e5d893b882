;; clojure.spec.alpha. Each expression requires it, and defines names of its own.
(DEF val 1 -1 2.5 "a" "" :k nil [] [1] [1 2] [1 "a"] '(1 :k) {} {:a 1} {:a "x"} #{1} 12)
(DEF spec int? string? #{1 :k} (s/and int? even?) (s/or :i int? :s string?) (s/nilable int?) (s/tuple int? string?)
  (s/cat :i int? :s string?) (s/* int?) (s/+ int?) (s/? int?) (s/alt :i int? :s string?)
  (s/cat :i (s/? int?) :r (s/* any?)) (s/& (s/* int?) seq) (s/coll-of int?) (s/coll-of int? :kind vector? :min-count 1)
  (s/coll-of (s/or :i int? :s string?)) (s/every int?) (s/map-of keyword? int?) (s/every-kv keyword? int?)
  (s/spec (s/cat :i int?)) (s/int-in 0 2) (s/double-in :min 0 :max 3) (s/conformer #(if (int? %) (inc %) :clojure.spec.alpha/invalid) dec))
(EACH (do (require '[clojure.spec.alpha :as s]) (s/conform $spec $val))
  (do (require '[clojure.spec.alpha :as s]) (:clojure.spec.alpha/problems (s/explain-data $spec $val))))
(EACH (do (require '[clojure.spec.alpha :as s]) (s/form $spec))
  (do (require '[clojure.spec.alpha :as s]) (s/describe $spec)))
(EACH (do (require '[clojure.spec.alpha :as s]) (let [p $spec x (s/conform p $[1 nil [1 "a"] [1 2] {:a 1}])] (if (s/invalid? x) x (s/unform p x)))))
(RAW "(require '[clojure.spec.alpha :as s]) (s/def :o1/a int?) (s/conform (s/keys :req [:o1/a]) {:o1/a 1 :b 2})"
"(require '[clojure.spec.alpha :as s]) (s/def :o2/a int?) (s/explain-str (s/keys :req [:o2/a]) {:o2/a \"x\"})"
"(require '[clojure.spec.alpha :as s]) (s/def :o3/a int?) (s/explain-str (s/keys :req [:o3/a (or :o3/b (and :o3/c :o3/d))]) {})"
"(require '[clojure.spec.alpha :as s]) (s/def :o4/a int?) (s/explain-str (s/keys :req-un [:o4/a]) 5)"
"(require '[clojure.spec.alpha :as s]) (s/def :o5/a (s/or :i int? :s string?)) (s/conform (s/keys :opt-un [:o5/a]) {:a 1 :z 2})"
"(require '[clojure.spec.alpha :as s]) (s/def :o6/a (s/or :i int? :s string?)) (s/unform (s/keys :opt-un [:o6/a]) {:a [:i 1] :z 2})"
"(require '[clojure.spec.alpha :as s]) (s/def :o7/a int?) (s/def :o7/b :o7/a) (s/explain-str :o7/b \"x\")"
"(require '[clojure.spec.alpha :as s]) (s/def :o8/a int?) (s/def :o8/m (s/keys :req-un [:o8/a])) (s/explain-str (s/coll-of :o8/m) [{:a 1} {:a \"x\"} {}])"
"(require '[clojure.spec.alpha :as s]) (s/def :o9/a int?) (s/def :o9/a nil) (s/get-spec :o9/a)"
"(require '[clojure.spec.alpha :as s]) (s/def :p1/a int?) (s/form :p1/a)"
"(require '[clojure.spec.alpha :as s]) (s/valid? :p2/none 1)"
"(require '[clojure.spec.alpha :as s]) (s/form :p2/none)"
"(require '[clojure.spec.alpha :as s]) (s/def :p3 int?)"
"(require '[clojure.spec.alpha :as s]) (s/def :p4/r (s/cat :k keyword? :v int?)) (s/conform (s/* :p4/r) [:a 1 :b 2])"
"(require '[clojure.spec.alpha :as s]) (s/def :p5/r (s/cat :k keyword? :v int?)) (s/explain-str (s/* :p5/r) [:a 1 :b])"
"(require '[clojure.spec.alpha :as s]) (s/def :p6/r (s/cat :k keyword? :v int?)) (s/explain-str (s/* :p6/r) [:a 1 :b :c])"
"(require '[clojure.spec.alpha :as s]) (s/def :p7/r (s/cat :k keyword? :v int?)) (s/explain-str (s/cat :x (s/spec :p7/r)) [[:a]])"
"(require '[clojure.spec.alpha :as s]) (s/def :p8/e (s/or :n int? :l (s/cat :op symbol? :args (s/* :p8/e)))) (s/conform :p8/e '(+ 1 (* 2 3)))"
"(require '[clojure.spec.alpha :as s]) (s/def :p9/e (s/or :n int? :l (s/cat :op symbol? :args (s/* :p9/e)))) (s/explain-str :p9/e '(+ 1 (* 2 \"x\")))"
"(require '[clojure.spec.alpha :as s]) (s/conform (s/cat :a (s/* int?) :b (s/+ string?) :c (s/? keyword?)) [1 2 \"a\" :k])"
"(require '[clojure.spec.alpha :as s]) (s/conform (s/alt :a (s/cat :x int? :y int?) :b (s/* int?)) [1 2 3])"
"(require '[clojure.spec.alpha :as s]) (s/conform (s/cat :a (s/alt :x (s/+ int?) :y (s/* keyword?)) :b any?) [1 2 :z])"
"(require '[clojure.spec.alpha :as s]) (s/unform (s/cat :a (s/* int?) :b (s/alt :s string? :k keyword?)) {:a [1 2] :b [:k :z]})"
"(require '[clojure.spec.alpha :as s]) (s/conform (s/& (s/* (s/cat :k keyword? :v any?)) #(> (count %) 1)) [:a 1 :b 2])"
"(require '[clojure.spec.alpha :as s]) (s/explain-str (s/& (s/* (s/cat :k keyword? :v any?)) #(> (count %) 1)) [:a 1])"
"(require '[clojure.spec.alpha :as s]) (s/def :q1/a int?) (s/conform (s/keys* :req-un [:q1/a]) [:a 1 :b 2])"
"(require '[clojure.spec.alpha :as s]) (s/def :q2/a int?) (s/explain-str (s/keys* :req-un [:q2/a]) [:b 2])"
"(require '[clojure.spec.alpha :as s]) (s/def :q3/a int?) (s/conform (s/cat :i int? :o (s/keys* :opt-un [:q3/a])) [1 :a 1])"
"(require '[clojure.spec.alpha :as s]) (s/conform (s/merge (s/keys) (s/map-of keyword? int?)) {:a 1})"
"(require '[clojure.spec.alpha :as s]) (s/conform (s/map-of (s/or :a int?) (s/or :b string?)) {1 \"a\"})"
"(require '[clojure.spec.alpha :as s]) (s/conform (s/map-of (s/or :a int?) (s/or :b string?) :conform-keys true) {1 \"a\"})"
"(require '[clojure.spec.alpha :as s]) (s/conform (s/coll-of int? :into #{}) [1 2 2])"
"(require '[clojure.spec.alpha :as s]) (s/conform (s/coll-of int? :into ()) [1 2 3])"
"(require '[clojure.spec.alpha :as s]) (s/explain-str (s/coll-of int? :distinct true) [1 1])"
"(require '[clojure.spec.alpha :as s]) (s/explain-str (s/coll-of int? :count 2) [1])"
"(require '[clojure.spec.alpha :as s]) (s/explain-str (s/coll-of int? :max-count 2) [1 2 3])"
"(require '[clojure.spec.alpha :as s]) (s/explain-str (s/coll-of int? :kind list?) [1 2 3])"
"(require '[clojure.spec.alpha :as s]) (s/explain-str (s/nilable int?) :a)"
"(require '[clojure.spec.alpha :as s]) (s/explain-str (s/map-of keyword? int?) {:a :b 3 4})"
"(require '[clojure.spec.alpha :as s]) (with-out-str (s/explain int? 1))"
"(require '[clojure.spec.alpha :as s]) (s/check-asserts?)"
"(require '[clojure.spec.alpha :as s]) (s/assert int? \"x\")"
"(require '[clojure.spec.alpha :as s]) (s/cat :a)"
"(require '[clojure.spec.alpha :as s]) (s/conform (s/inst-in #inst \"2020\" #inst \"2021\") #inst \"2020-05\")"
"(require '[clojure.spec.alpha :as s]) (s/int-in-range? 1 3 3)"
"(require '[clojure.spec.alpha :as s]) (defmulti m1 :t) (defmethod m1 :x [_] (s/keys :req-un [:m1/a])) (s/explain-str (s/multi-spec m1 :t) {:t :x})"
"(require '[clojure.spec.alpha :as s]) (defmulti m2 :t) (defmethod m2 :x [_] (s/keys :req-un [:m2/a])) (s/explain-str (s/multi-spec m2 :t) {:t :y})"
"(require '[clojure.spec.alpha :as s]) (defn f1 [x] x) (s/fdef f1 :args (s/cat :x int?)) (s/form `f1)"
"(require '[clojure.spec.alpha :as s]) (s/describe (s/fspec :args (s/cat :x int?) :ret string?))"
"(require '[clojure.spec.alpha :as s]) (s/abbrev '(clojure.core/and (clojure.core/fn [%] (clojure.core/> % 3)) a/b :c/d))"
"(require '[clojure.spec.alpha :as s]) (s/unform (s/conformer inc) 1)"
"(require '[clojure.spec.alpha :as s]) (let [x 3] (s/form (s/and int? #(> % x))))")
