(def pairs {\) \( \] \[ \} \{})
(defn check [s]
  (loop [[c & more :as cs] (seq s) stack () i 0]
    (cond
      (empty? cs) (if (empty? stack) :ok {:unclosed (vec (reverse stack))})
      (contains? (set (vals pairs)) c) (recur more (conj stack c) (inc i))
      (contains? pairs c) (if (= (pairs c) (first stack)) (recur more (rest stack) (inc i)) {:error-at i :char c})
      :else (recur more stack (inc i)))))
(doseq [s ["" "()" "([{}])" "([)]" "((" "a(b)c]" "{[(x)]}"]] (println (pr-str s) (check s)))
(defn max-depth [s] (apply max 0 (reductions + (map #(case % \( 1 \) -1 0) s))))
(println (max-depth "((a)(b(c)))"))
(defn gen [n] (letfn [(go [s o c] (if (= (* 2 n) (count s)) [s] (concat (when (< o n) (go (str s "(") (inc o) c)) (when (< c o) (go (str s ")") o (inc c))))))] (go "" 0 0)))
(gen 3)
