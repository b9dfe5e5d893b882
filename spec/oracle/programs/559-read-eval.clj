(println #=(+ 1 2) [#=(* 2 3)] (* 2 #=(inc 4)))
(defn f [x] (+ x #=(* 60 60)))
(println (f 1))
(println #=java.lang.String)
