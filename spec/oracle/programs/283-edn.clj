(require '[clojure.edn :as edn])
(prn
 (edn/read-string
  "{:a [1 2.5 \"s\" \\c nil true #{1} (1 2) sym :ns/k 1/2 3N 4.5M #inst \"2024-01-01\" #uuid \"550e8400-e29b-41d4-a716-446655440000\"]}"))
(prn (edn/read-string {:readers {'pt (fn [[x y]] {:x x :y y})}} "#pt [1 2]")
     (edn/read-string {:default (fn [t v] [t v])} "#foo/bar {:a 1}") (edn/read-string {:eof :done} "")
     (edn/read-string "; c\n 42 43") (edn/read-string "#_ 1 2") (edn/read-string "^{:a 1} [1]")
     (meta (edn/read-string "^:k [1]")) (edn/read-string "#:a{:b 1}"))
(prn (= {:a [1 #{2}]} (edn/read-string (pr-str {:a [1 #{2}]}))) (read-string "'a")
     (map edn/read-string ["0x10" "1e3" "-5" "+5" "2r101" "017" "\"\\u0041\\n\""]))
(doseq [s ["{:a 1 :a 2}" "#{1 1}" "[1" "1a" ":" "a/b/c" "'x"]]
  (println s
           (try (pr-str (edn/read-string s))
                (catch Exception e (str (.getSimpleName (class e)) " " (.getMessage e))))))
