(defn parse-line [line]
  (loop [cs (seq line) field "" fields [] quoted? false]
    (if-let [[c & more] cs]
      (cond
        (and quoted? (= c \") (= (first more) \")) (recur (next more) (str field \") fields true)
        (= c \") (recur more field fields (not quoted?))
        (and (= c \,) (not quoted?)) (recur more "" (conj fields field) false)
        :else (recur more (str field c) fields quoted?))
      (conj fields field))))

(doseq [l ["a,b,c"
           "1,\"hello, world\",3"
           "\"say \"\"hi\"\"\",x,"
           ""
           ",,"]]
  (prn l '=> (parse-line l)))
(map count (map parse-line ["a,b" "\"a,b\""]))
