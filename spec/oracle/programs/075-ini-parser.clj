(require '[clojure.string :as str])
(def ini "; comment
root = yes
[server]
host = example.org
port = 8080

[paths]
home = /var/lib
# other comment
flags = a, b ,c
bad line")
(defn parse-value [v]
  (cond (re-matches #"-?\d+" v) (parse-long v)
        (#{"yes" "true"} v) true
        (#{"no" "false"} v) false
        (str/includes? v ",") (mapv str/trim (str/split v #","))
        :else v))
(defn parse-ini [s]
  (:result
   (reduce (fn [{:keys [section] :as st} [n line]]
             (condp re-matches (str/trim line)
               #"" st
               #"[;#].*" st
               #"\[(.+)\]" :>> (fn [[_ s]] (assoc st :section (keyword s)))
               #"(\w+)\s*=\s*(.*)" :>> (fn [[_ k v]] (assoc-in st [:result section (keyword k)] (parse-value v)))
               (update-in st [:result :errors] (fnil conj []) (str "line " n ": " line))))
           {:section :global :result {}}
           (map-indexed (fn [i l] [(inc i) l]) (str/split-lines ini)))))
(def cfg (parse-ini ini))
(prn (:global cfg) (:server cfg))
(prn (:paths cfg))
(run! println (:errors cfg))
(get-in cfg [:server :port])
