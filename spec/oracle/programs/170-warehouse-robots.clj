(ns warehouse.core (:require [clojure.string :as str]))
(def layout ["#######" "#..O..#" "#.@O..#" "#.....#" "#######"])
(def dirs {\^ [0 -1] \v [0 1] \< [-1 0] \> [1 0]})
(defn parse [rows] (into {} (for [[y r] (map-indexed vector rows) [x c] (map-indexed vector r)] [[x y] c])))
(defn push [g pos d]
  (let [nxt (mapv + pos d)]
    (case (g nxt)
      \# nil
      \. (assoc g nxt (g pos) pos \.)
      \O (when-let [g (push g nxt d)] (assoc g nxt (g pos) pos \.)))))
(defn move [[g pos :as st] c] (if-let [g2 (push g pos (dirs c))] [g2 (mapv + pos (dirs c))] st))
(defn show [g] (doseq [y (range 5)] (println (str/join (map #(g [% y]) (range 7))))))
(let [g (parse layout)
      [end pos] (reduce move [g [2 2]] ">>>^<<vv>^")]
  (show end)
  (println pos)
  (reduce + (for [[[x y] c] end :when (= c \O)] (+ x (* 10 y)))))
