(ns semver.core
  (:require [clojure.string :as str]))

(def pattern #"(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?")

(defn parse [s]
  (if-let [[_ major minor patch pre build] (re-matches pattern s)]
    (cond-> {:major (parse-long major) :minor (parse-long minor) :patch (parse-long patch)}
      pre (assoc :pre (mapv #(or (parse-long %) %) (str/split pre #"\.")))
      build (assoc :build build))
    (throw (ex-info "not a version" {:type ::invalid :input s}))))

(defn compare-ids [a b]
  (cond
    (and (number? a) (number? b)) (compare a b)
    (number? a) -1
    (number? b) 1
    :else (compare a b)))

(defn compare-pre [a b]
  (cond
    (and (nil? a) (nil? b)) 0
    (nil? a) 1
    (nil? b) -1
    :else (or (->> (map compare-ids a b) (drop-while zero?) first)
              (compare (count a) (count b)))))

(defn compare-versions [a b]
  (let [core (juxt :major :minor :patch)
        c (compare (core a) (core b))]
    (if (zero? c) (compare-pre (:pre a) (:pre b)) c)))

(defn show [{:keys [major minor patch pre build]}]
  (str major "." minor "." patch
       (when pre (str "-" (str/join "." pre)))
       (when build (str "+" build))))

(defmulti bump (fn [kind _] kind))
(defmethod bump :major [_ v] (-> v (update :major inc) (assoc :minor 0 :patch 0) (dissoc :pre :build)))
(defmethod bump :minor [_ v] (-> v (update :minor inc) (assoc :patch 0) (dissoc :pre :build)))
(defmethod bump :patch [_ v] (-> v (update :patch inc) (dissoc :pre :build)))

(defn satisfies-range? [range-text v]
  (every? (fn [[_ op text]]
            (let [c (compare-versions v (parse text))]
              (case op
                ">" (pos? c) ">=" (not (neg? c)) "<" (neg? c) "<=" (not (pos? c))
                "=" (zero? c)
                "^" (and (not (neg? c)) (= (:major v) (:major (parse text))))
                "~" (and (not (neg? c)) (= ((juxt :major :minor) v) ((juxt :major :minor) (parse text)))))))
          (re-seq #"(>=|<=|>|<|=|\^|~)\s*(\S+)" range-text)))

(def samples ["1.0.0" "1.0.0-alpha" "1.0.0-alpha.1" "1.0.0-alpha.beta" "1.0.0-beta.11" "1.0.0-beta.2"
              "1.0.0-rc.1" "2.1.0" "2.1.1+build.5" "0.9.12" "10.0.0"])

(println (mapv show (sort compare-versions (map parse samples))))
(doseq [s samples :let [v (parse s)]]
  (println (format "%-18s" s) v (hash-map :major (show (bump :major v)) ) (show (bump :minor v)) (show (bump :patch v))))
(doseq [r [">=1.0.0 <2.0.0" "^2.0.0" "~2.1.0" "=10.0.0" ">1.0.0-beta.2"]]
  (println r "->" (filterv #(satisfies-range? r (parse %)) samples)))
(doseq [bad ["1.2" "a.b.c" "" "1.2.3-"]]
  (println (pr-str bad) (try (parse bad) (catch clojure.lang.ExceptionInfo e [(ex-message e) (ex-data e)]))))
[(apply max-key :patch (map parse samples))
 (reduce #(if (neg? (compare-versions %1 %2)) %2 %1) (map parse samples))
 (into (sorted-map) (group-by :major (map #(dissoc (parse %) :build) samples)))]
