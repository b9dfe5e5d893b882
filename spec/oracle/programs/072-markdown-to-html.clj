(require '[clojure.string :as str])
(defn inline [s]
  (-> s
      (str/replace #"\*\*(.+?)\*\*" "<b>$1</b>")
      (str/replace #"\*(.+?)\*" "<i>$1</i>")
      (str/replace #"`(.+?)`" "<code>$1</code>")
      (str/replace #"\[(.+?)\]\((.+?)\)" "<a href=\"$2\">$1</a>")))
(defn block [lines]
  (let [[l] lines]
    (cond
      (re-find #"^#+ " l) (let [[_ hs t] (re-matches #"(#+) (.*)" l) n (count hs)] (str "<h" n ">" (inline t) "</h" n ">"))
      (str/starts-with? l "- ") (str "<ul>" (apply str (map #(str "<li>" (inline (subs % 2)) "</li>") lines)) "</ul>")
      :else (str "<p>" (inline (str/join " " lines)) "</p>"))))
(defn render [s]
  (->> (str/split-lines s) (partition-by str/blank?) (remove #(str/blank? (first %))) (map block) (str/join "\n")))
(println (render "# Title\n\nSome **bold** and *it* text\nwith `code`.\n\n- one\n- [two](http://x.y)\n\n## End"))
