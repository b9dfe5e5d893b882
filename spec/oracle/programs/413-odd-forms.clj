;; Conditions that are no vector, directives whose parameters no comma separates, and the order of a zipper's keys.
(require '[clojure.pprint :refer [cl-format]] '[clojure.zip :as zip])

(defn part? [xs ys]
  {:pre (<= (count xs) (count ys))}
  (boolean (some #{xs} (partition (count xs) 1 ys))))
(println (part? [2 3] [1 2 3]) (part? [1 2 3] [1]))
(defn checked [x] {:pre (pos? x)} x)
(println (checked -1) (try (checked nil) (catch AssertionError e (ex-message e))))
(defn after [x] {:post (neg? %)} x)
(println (after 5) (try (after false) (catch AssertionError e (ex-message e))))

(println (cl-format nil "~,'0',B" 10) (cl-format nil "~8'0b|~6'*d" 5 42) (cl-format nil "~,,'.,3:d" 1234567)
         (cl-format nil "~,,'_:d" 1234567) (cl-format nil "~10,,,'-a|~5,2f" "ab" 3.14159))
(println (try (cl-format nil "~,d" 1) (catch Throwable e (first (re-seq #"[^\n]+" (ex-message e))))))

(def tree (zip/vector-zip [[1 2] [3 [4 5]]]))
(prn (vec (-> tree zip/down)))
(prn (vec (-> tree zip/down zip/right zip/down zip/right)))
