; require ignores :only with one name.
(ns my.only
  (:require [clojure.string :only split :as str]))
(println (str/split "a b" #" "))
(require '[clojure.set :only union :as set])
(println (set/union #{1} #{1}))
