; The macros of a program stay known when a form before their call can run only with the program: it
; asks for the time.
(defmacro known [name] (boolean (resolve name)))
(println (known map) (known absent))

(let [started (System/nanoTime)]
  (println (<= started (System/nanoTime))))

(defmacro twice [form] `(do ~form ~form))
(println (known map) (known absent))
(twice (println "twice"))
(println (known twice))
(twice (twice (println "nested")))
