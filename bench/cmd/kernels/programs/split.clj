; Text in lines, words and fields.
(require '[clojure.string :as str])
(def text (str/join "\n" (map (fn [i] (str "id" i ", some name " (* i 7) " ,42," (mod i 13))) (range 2000))))
(defn kernel []
  (reduce + (map (fn [line]
                   (let [[id nm n k] (map str/trim (str/split line #","))]
                     (+ (count id) (count nm) (parse-long n) (parse-long k))))
                 (str/split-lines text))))
