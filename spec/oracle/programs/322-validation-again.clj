(def rules
  {:name [[string? "must be text"] [seq "must not be blank"]] :age
   [[int? "must be an int"] [#(<= 0 % 150) "out of range"]] :email
   [[#(re-matches #"[^@\s]+@[^@\s]+\.\w+" (str %)) "bad email"]]})
(defn validate [m]
  (into (sorted-map)
        (for
         [[k rs] rules :let
          [v (get m k) err
           (some (fn [[p msg]] (when-not (try (p v) (catch Exception _ false)) msg)) rs)]
          :when err]
          [k err])))
(println (validate {:name "Al" :age 30 :email "a@b.co"})
         (validate {:name "" :age "x" :email "nope"}) (validate {}))
(defn check [m] {:pre [(map? m) (contains? m :id)] :post [(pos? %)]} (:id m))
(println (check {:id 1}) (try (check {}) (catch AssertionError e (.getMessage e)))
         (try (check {:id -1}) (catch AssertionError e (.getMessage e))))
