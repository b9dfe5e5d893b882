; require ignores :only with one name, and takes further options.
(ns my.only
  (:require [clojure.string :only split :as str]))
(println (str/split "a b" #" "))
(require '[clojure.set :only union :as set])
(println (set/union #{1} #{1}))

; An option :use refers to all names of the namespace. The flags of require are options without an effect.
(require '[clojure.walk :use [walk] :reload true :verbose false])
(println (stringify-keys {:a 1}))
