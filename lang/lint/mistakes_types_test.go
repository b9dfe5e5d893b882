package lint_test

// typeMistakes are mistakes about the types of values, the order of arguments, and functions that are passed.
var typeMistakes = []mistake{
	// Keys that are looked up where they are never found.
	{`(:region data/orders)`, "(map :region data/orders) takes it from each element", ""},
	{`(get data/orders :region)`, "data/orders is a list, in which a keyword finds nothing", ""},
	{`(get (first data/orders) "region")`, "write :region", `(get (first data/orders) :region)`},
	{`(map #(get % "region") data/orders)`, "write :region", `(map #(get % :region) data/orders)`},
	{`(let [{:strs [region]} (first data/orders)] region)`, "write :keys in place of :strs", ""},
	{`(:total (:region (first data/orders)))`, "(:region (first data/orders)) is a string", ""},
	{`(:north (group-by :region data/orders))`, `write (get (group-by :region data/orders) "north")`, ""},
	{`(map :value (psettle inc [1]))`, "there are :error :ok", ""},
	{`(try (/ 1 0) (catch Exception e (:message e)))`, "write (ex-message e)", `(try (/ 1 0) (catch Exception e (ex-message e)))`},
	{`(try (/ 1 0) (catch Exception e (:code e)))`, "write (:code (ex-data e))", `(try (/ 1 0) (catch Exception e (:code (ex-data e))))`},
	{`(let [{:keys [a]} (map :id data/orders)] a)`, "", ""},
	{`(get (group-by :region data/orders) "n")`, "", ""},
	{`(map :ok (psettle inc [1]))`, "", ""},
	{`(let [x (if (seq data/orders) (:region (first data/orders)) {:a 1})] (:a x))`, "", ""},

	// Comparisons that are never true.
	{`(= :n (:region (first data/orders)))`, `write "n"`, `(= "n" (:region (first data/orders)))`},
	{`(filter #(= :n (:region %)) data/orders)`, `write "n"`, `(filter #(= "n" (:region %)) data/orders)`},
	{`(not= (:region (first data/orders)) 'n)`, `write "n"`, `(not= (:region (first data/orders)) "n")`},
	{`(= (:id (first data/orders)) "1")`, "is an integer, so it is never", `(= (:id (first data/orders)) 1)`},
	{`(case (:region (first data/orders)) :n 1 2)`, `write "n"`, `(case (:region (first data/orders)) "n" 1 2)`},
	{`(= (:id (first data/orders)) 1)`, "", ""},
	{`(= (:other (first data/orders)) :a)`, "", ""},
	{`(let [v (if data/orders (:id (first data/orders)) "none")] (= v "none"))`, "", ""},

	// Types that a builtin refuses.
	{`(json/parse data/orders)`, "it is data already: write data/orders", `data/orders`},
	{`(< (:region (first data/orders)) 5)`, "(compare a b) orders strings", ""},
	{`(+ 1 (:region (first data/orders)))`, "(parse-double (:region (first data/orders)))", ""},

	// The order of arguments.
	{`(keep data/orders :id)`, "(keep :id data/orders)", `(keep :id data/orders)`},
	{`(partition data/orders 2)`, "(partition 2 data/orders)", `(partition 2 data/orders)`},
	{`(nth 0 data/orders)`, "(nth data/orders 0)", `(nth data/orders 0)`},
	{`(reduce data/orders + 0)`, "(reduce + 0 data/orders)", `(reduce + 0 data/orders)`},
	{`(reduce 0 + [1])`, "(reduce + 0 [1])", `(reduce + 0 [1])`},
	{`(sort-by :id data/orders >)`, "(sort-by :id > data/orders)", `(sort-by :id > data/orders)`},
	{`(subs 0 2 "abc")`, `(subs "abc" 0 2)`, `(subs "abc" 0 2)`},
	{`(re-find "abc" #"b")`, `(re-find #"b" "abc")`, `(re-find #"b" "abc")`},
	{`(conj 4 data/orders)`, "(conj data/orders 4)", `(conj data/orders 4)`},
	{`(cons data/orders 4)`, "(cons 4 data/orders)", `(cons 4 data/orders)`},
	{`(repeat "x" 3)`, `(repeat 3 "x")`, `(repeat 3 "x")`},
	{`(hedge (fn [] 1) 50)`, "(hedge 50 (fn [] 1))", `(hedge 50 (fn [] 1))`},
	{`(get-in data/orders :a)`, "a path is a vector of keys: [:a]", ""},
	{`(-> data/orders (map :id))`, "write the step (->> (map :id))", `(-> data/orders (->> (map :id)))`},
	{`(-> [1] (conj 5) (map inc))`, "write the step (->> (map inc))", `(-> [1] (conj 5) (->> (map inc)))`},
	{`(->> [1] (conj 5))`, "write the step (#(conj % 5))", `(->> [1] (#(conj % 5)))`},
	{`(doall (map #(inc %) [1]))`, "", ""},

	// Functions that are passed.
	{`(map (fn [k v] [k v]) {:a 1})`, "(fn [[k v]] …) for the entries of a map", ""},
	{`(reduce-kv (fn [m [k v]] (assoc m k v)) {} {:a 1})`, "(fn [acc k v] …)", ""},
	{`(reduce (fn [x] x) [1 2])`, "(fn [acc x] …)", ""},
	{`(map-indexed (fn [x] x) [1])`, "(fn [i x] …)", ""},
	{`(sort-by #(> %1 %2) [2 1])`, "(sort (fn [a b] …) coll) compares two", ""},
	{`(map #(fn [x] x) [1])`, "a (fn […] …) needs no #", ""},
	{`(defn f [a b] [a b]) (mapv f [1])`, "mapv calls this function with 1 argument, and it takes 2", ""},
	{`(filter (= :region "n") data/orders)`, `#(= (:region %) "n")`, ""},
	{`(pmap (inc 1) [1])`, "a function makes the call for each element: #(inc 1)", ""},
	{`(let [a (atom [])] (swap! a (conj 1)) @a)`, "write (swap! a conj 1)", `(let [a (atom [])] (swap! a conj 1) @a)`},
	{`(let [a (atom 0)] (swap! a (inc @a)) @a)`, "write (swap! a inc)", `(let [a (atom 0)] (swap! a inc) @a)`},
	{`(map (fn [k v] [k v]) [1] [2])`, "", ""},
	{`(map (fn [& xs] xs) [1] [2])`, "", ""},
	{`(reduce (fn ([] 0) ([a b] (+ a b))) [1 2])`, "", ""},
	{`(let [a (atom 0)] (swap! a (fn [x] (inc x))) @a)`, "", ""},
	{`(let [a (atom 0)] (swap! a (partial + 1)) @a)`, "", ""},

	// Bindings and parameters.
	{`(let (x 1 y 2) (+ x y))`, "bindings stand in a vector: [x 1 y 2]", `(let [x 1 y 2] (+ x y))`},
	{`(let ((x 1) (y 2)) (+ x y))`, "[x 1 y 2]", `(let [x 1 y 2] (+ x y))`},
	{`(let [[x 1] [y 2]] (+ x y))`, "[x 1 y 2]", `(let [x 1 y 2] (+ x y))`},
	{`(let x 1 (+ x 1))`, "[x 1]", `(let [x 1] (+ x 1))`},
	{`(let [x 1 (println x)] x)`, "_ (println x)", `(let [x 1 _ (println x)] x)`},
	{`(loop (i 0) (when (< i 3) (recur (inc i))))`, "[i 0]", `(loop [i 0] (when (< i 3) (recur (inc i))))`},
	{`(if-let x (first [1]) x)`, "[x (first [1])]", `(if-let [x (first [1])] x)`},
	{`(if-let [x 1 y 2] x)`, "put another if-let inside of it", ""},
	{`(for [x in [1 2]] x)`, "no word stands between", `(for [x [1 2]] x)`},
	{`(for x [1 2] (inc x))`, "[x [1 2]]", `(for [x [1 2]] (inc x))`},
	{`(doseq x in [1 2] (println x))`, "[x [1 2]]", `(doseq [x [1 2]] (println x))`},
	{`(for [x [1 2] :if (odd? x)] x)`, "write :when (odd? x)", `(for [x [1 2] :when (odd? x)] x)`},
	{`(for [x [1 2] (odd? x)] x)`, "write :when (odd? x)", `(for [x [1 2] :when (odd? x)] x)`},
	{`(for [x [1 2] :let y (inc x)] y)`, "write :let [y (inc x)]", `(for [x [1 2] :let [y (inc x)]] y)`},
	{`(defn f (x) (inc x)) (f 1)`, "parameters stand in a vector: [x]", `(defn f [x] (inc x)) (f 1)`},
	{`(defn f x (inc x)) (f 1)`, "[x]", `(defn f [x] (inc x)) (f 1)`},
	{`(defn f (println 1)) (f)`, "an empty vector: [] (println 1)", `(defn f [] (println 1)) (f)`},
	{`(map (fn (x) (inc x)) [1])`, "[x]", `(map (fn [x] (inc x)) [1])`},
	{`(map (fn x (inc x)) [1])`, "[x]", `(map (fn [x] (inc x)) [1])`},
	{`(defn [x] x)`, "write (defn NAME [x] …)", ""},

	// Quotes.
	{`(println "a "quoted" word")`, `"a \"quoted\" word"`, `(println "a \"quoted\" word")`},
	{`(str "a "b" c" 1)`, `"a \"b\" c"`, `(str "a \"b\" c" 1)`},
	{`(str 'a' "b")`, `write "a"`, `(str "a" "b")`},
	{`(str 'a "b")`, "", ""},

	// Names of other languages and of other namespaces.
	{`(string/join "," ["a"])`, "did you mean str/join?", `(str/join "," ["a"])`},
	{`(join "," ["a"])`, "did you mean str/join?", ""},
	{`(str/contains? "abc" "b")`, "use str/includes?", `(str/includes? "abc" "b")`},
	{`(str/concat "a" "b")`, "use str", `(str "a" "b")`},
	{`(str/repeat "a" 3)`, "use (apply str (repeat n s))", ""},
	{`(str/index "abc" "b")`, "did you mean str/index-of?", `(str/index-of "abc" "b")`},
	{`(json/stringify {:a 1})`, "use json/write", `(json/write {:a 1})`},
	{`(count (orders.filter even?))`, "a function comes first: (filter f data/orders)", ""},
	{`(data/orders.map :id)`, "a function comes first: (map f data/orders)", ""},
	{`(print("hello"))`, `(print "hello")`, `(print "hello")`},
	{`(tool/web-get "a")`, "did you mean tool/web.get?", `(tool/web.get "a")`},
	{`(tool/get "a")`, "did you mean tool/web.get?", ""},

	// Arguments of tools.
	{`(tool/find {:text "a"})`, "did you mean :query, which is missing?", `(tool/find {:query "a"})`},
	{`(tool/find {:text 5})`, "got the unknown key :text", ""},
	{`(tool/web.get "a b" {:x 1})`, "got arguments without names", ""},
	{`(tool/find nil)`, "tool/find: got nil for :query", ""},

	// Threads and tests.
	{`(->> [1] (fn [xs] (count xs)))`, "does not call it", `(->> [1] ((fn [xs] (count xs))))`},
	{`(->> [1] #(map inc %))`, "does not call it", `(->> [1] (#(map inc %)))`},
	{`(-> 5 ((fn [x] (inc x))))`, "", ""},
	{`(if (filter even? [1]) 1 2)`, "(seq coll) is a test for elements", ""},
	{`(when (count [1]) 1)`, "a number is true, 0 as well", ""},

	// JSON.
	{`(json/parse "id,name")`, `the text begins with "id,name"`, ""},
	{`(json/parse "{'a': 1}")`, "JSON has strings in double quotes", ""},
	{`(json/parse nil)`, "under :json, and other text under :body", ""},
}
