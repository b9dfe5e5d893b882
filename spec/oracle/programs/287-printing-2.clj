(prn #uuid "550e8400-e29b-41d4-a716-446655440000" #inst "2024-01-15T10:30:00.123+02:00"
     (quote (quote a)) ''a '@a '#'a '`a '~a (var prn) #'clojure.string/join (class 1) String)
