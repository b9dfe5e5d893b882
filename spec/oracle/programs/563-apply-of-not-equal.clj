(println (apply not= (range)) (apply not= (map inc [1 1])) (apply not= (map inc [1 2])) (apply not= 1 [1 2]))
