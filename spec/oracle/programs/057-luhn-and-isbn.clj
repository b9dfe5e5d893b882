(defn digits [s] (keep #(let [d (Character/digit % 10)] (when-not (neg? d) d)) s))
(defn luhn? [s]
  (let [ds (reverse (digits s))
        doubled (map-indexed (fn [i d] (if (odd? i) (let [x (* 2 d)] (if (> x 9) (- x 9) x)) d)) ds)]
    (zero? (mod (reduce + doubled) 10))))
(doseq [n ["4539 1488 0343 6467" "8273 1232 7352 0569" "0" "059"]] (println n (luhn? n)))
(defn isbn10? [s]
  (let [cs (remove #{\-} s)]
    (and (= 10 (count cs))
         (zero? (mod (reduce + (map (fn [w c] (* w (if (= c \X) 10 (Character/digit c 10)))) (range 10 0 -1) cs)) 11)))))
(map isbn10? ["3-598-21508-8" "3-598-21507-X" "3-598-21508-9"])
