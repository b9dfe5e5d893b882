(ns adventure (:require [clojure.string :as str]))
(def world {:hall {:desc "A dusty hall." :exits {:n :library :e :kitchen} :items #{:lamp}}
            :library {:desc "Rows of books." :exits {:s :hall} :items #{:scroll :key}}
            :kitchen {:desc "Smells of soup." :exits {:w :hall} :items #{}}})
(defn init [] {:room :hall :inv #{} :world world :turns 0 :out []})
(defn say [st & xs] (update st :out conj (apply str xs)))
(defmulti act (fn [_ [verb]] verb))
(defmethod act :go [{:keys [room world] :as st} [_ dir]]
  (if-let [dest (get-in world [room :exits dir])]
    (-> st (assoc :room dest) (say "You go " (name dir) ". " (get-in world [dest :desc])))
    (say st "You can't go " (name dir) ".")))
(defmethod act :take [{:keys [room] :as st} [_ item]]
  (if (get-in st [:world room :items item])
    (-> st (update-in [:world room :items] disj item) (update :inv conj item) (say "Taken: " (name item)))
    (say st "No " (some-> item name) " here.")))
(defmethod act :inv [st _] (say st "You carry: " (if (seq (:inv st)) (str/join ", " (sort (map name (:inv st)))) "nothing")))
(defmethod act :look [{:keys [room world] :as st} _]
  (let [{:keys [desc exits items]} (world room)]
    (say st desc " Exits: " (str/join "/" (map name (sort (keys exits)))) (when (seq items) (str " Items: " (str/join " " (sort (map name items))))))))
(defmethod act :default [st [verb]] (say st "I don't know how to " (name verb) "."))
(defn parse [line] (let [[v & args] (map keyword (str/split (str/lower-case (str/trim line)) #"\s+"))] (into [v] args)))
(defn step [st line] (-> st (update :turns inc) (act (parse line))))
(def script ["look" "take lamp" "go n" "LOOK" "take  key" "take sword" "inv" "go up" "dance" "go s" "look"])
(let [{:keys [out turns room inv]} (reduce step (init) script)]
  (doseq [[i o] (map vector (rest (range)) out)] (println (str i ": " o)))
  [turns room (sort inv)])
