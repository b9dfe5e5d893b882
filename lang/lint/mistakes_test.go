package lint_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/prompt"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// mistake is a program as people and models write it by mistake, with what is told of it: a part of a message or of a
// hint of the check, or of the run if the check finds nothing. fixed is what ptc check --fix makes of the program; ""
// if it stays as it is.
type mistake struct{ source, told, fixed string }

// mistakes are those about syntax, names, sequences and values. typeMistakes has others.
var mistakes = []mistake{
	// Elements in brackets.
	{`data/orders[0]`, "an element is (nth data/orders 0)", `(nth data/orders 0)`},
	{`(count data/orders[0])`, "an element is (nth data/orders 0)", `(count (nth data/orders 0))`},
	{`(let [xs [1 2]] xs[1])`, "an element is (nth xs 1)", `(let [xs [1 2]] (nth xs 1))`},
	{`(let [m {:a 1}] m[:a])`, "an element is (get m :a)", `(let [m {:a 1}] (get m :a))`},
	{`(let [m {"a" 1}] m["a"])`, `an element is (get m "a")`, `(let [m {"a" 1}] (get m "a"))`},
	{`(defn f [xs i] (str xs[i])) (f [1] 0)`, "an element is (get xs i)", `(defn f [xs i] (str (get xs i))) (f [1] 0)`},
	{`(def xs [1 2]) (inc xs[0])`, "an element is (nth xs 0)", `(def xs [1 2]) (inc (nth xs 0))`},
	{`(str (first data/orders)"x")`, "", ""},
	{`(defn f[x] x) (f[1])`, "", ""},
	{`(map inc[1 2])`, "", ""},
	{`(let [xs [1 2 3]] xs[0:2])`, "(subvec xs 0 2), or (subs s 0 2) of a string", ""},
	{`(let [xs [1 2 3]] xs[1:])`, "(drop 1 xs), or (subs s 1) of a string", ""},

	// Calls with the name before the parenthesis.
	{`print("hello")`, `the parenthesis comes first: (print "hello")`, `(print "hello")`},
	{`(do print("hello") 1)`, `the parenthesis comes first: (print "hello")`, `(do (print "hello") 1)`},
	{`(let [x 1] println(x) x)`, "the parenthesis comes first: (println x)", `(let [x 1] (println x) x)`},
	{"(defn f [] 1)\nf()\n2", "the parenthesis comes first: (f)", "(defn f [] 1)\n(f)\n2"},
	{`println"x" 1`, `a call has parentheses: (println "x")`, `(println "x") 1`},
	{"println \"x\"\n1", "a call has parentheses: (println …)", ""},
	{`(+ max(1 2) 3)`, "the parenthesis comes first: (max 1 2)", `(+ (max 1 2) 3)`},
	{`(map inc(range 3))`, "", ""},

	// Sequences that nothing reads.
	{`(def sent (for [h ["a"]] (tool/put {:query h}))) {:status "all sent"}`, "tool/put is never called: sent is a lazy sequence", ""},
	{`(def sent (map tool/put ["a"])) 1`, "tool/put is never called: sent is a lazy sequence", ""},
	{`(defn put [q] (tool/put {:query q})) (def sent (map put ["a"])) 1`, "tool/put is never called", ""},
	{`(def sent (->> ["a"] (filter string?) (map #(tool/put {:query %})))) 1`, "tool/put is never called", ""},
	{`(let [_sent (map tool/put ["a"])] 1)`, "tool/put is never called", ""},
	{`(def sent (mapv tool/put ["a"])) 1`, "", ""},
	{`(def sent (doall (map tool/put ["a"]))) 1`, "", ""},
	{`(def found (map tool/find ["a"])) (count found)`, "", ""},
	{"(map println [1 2])\n1", "the function is never called: the sequence is lazy", ""},
	{"(for [x [1 2]] (println x))\n1", "the function is never called: the sequence is lazy", ""},
	{"(do (for [x [1 2]] (println x)) 1)", "the function is never called: the sequence is lazy", ""},
	{"(->> [1 2] (map println))\n1", "the function is never called: the sequence is lazy", ""},
	{"(map println [1 2])", "", ""},

	// Strings for keywords.
	{`(map "quantity" data/orders)`, "keys of the input are keywords: (map :quantity …)", ""},
	{`(filter "open" data/orders)`, "keys of the input are keywords: (filter :open …)", ""},
	{`(group-by "region" data/orders)`, "keys of the input are keywords: (group-by :region …)", ""},
	{`(sort-by "price" data/orders)`, "keys of the input are keywords: (sort-by :price …)", ""},
	{`(let [k "region"] (map k data/orders))`, "keys of the input are keywords, as in (map :quantity coll)", ""},
	{`(try (tool/find {:query "a"}) (catch :tool-failed e (= "not-found" (:code (ex-data e)))))`, "write :not-found",
		`(try (tool/find {:query "a"}) (catch :tool-failed e (= :not-found (:code (ex-data e)))))`},
	{`(map (fn [r] (= (get-in r [:error :data :code]) "not-found")) (psettle tool/find ["a"]))`, "write :not-found",
		`(map (fn [r] (= (get-in r [:error :data :code]) :not-found)) (psettle tool/find ["a"]))`},
	{`(map (fn [r] (not= "tool-failed" (-> r :error :code))) (psettle tool/find ["a"]))`, "write :tool-failed", ""},
	{`(map (fn [r] (let [e (:error r)] (= "x" (:code e)))) (psettle tool/find ["a"]))`, "write :x", ""},
	{`(map (fn [p] (= "A1" (:code p))) [{:code "A1"}])`, "", ""},
	{`(map (fn [p] (= "A1" (:code p))) data/orders)`, "", ""},

	// Nil, and other values that are no numbers.
	{`(let [x nil] (inc x))`, "inc: got nil for argument 1, x, want a number", ""},
	{`(inc nil)`, "inc: got nil, want a number", ""},
	{`(defn f [m] (+ 1 (:quantitty m))) (f {:quantity 1})`, "+: got nil for argument 2, (:quantitty m), want a number", ""},
	{`(defn f [m] (+ 1 (:quantitty m))) (f {:quantity 1})`, "did you mean :quantity?", ""},
	{`(defn f [m] (dec (get m :prize))) (f {:price 1})`, "dec: got nil for argument 1, (get m :prize), want a number", ""},
	{`(defn f [m] (* (:prize m) 2)) (f {:price 1})`, "did you mean :price?", ""},
	{`(let [x nil] (< x 3))`, "<: got nil for argument 1, x, want a number", ""},
	{`(let [x "4"] (+ x 1))`, `+: got "4" (string) for argument 1, x, want a number`, ""},
	{`(+ "1" 2)`, `+: got "1" (string), want a number`, ""},
	{`(- 3 :a)`, "-: got :a (keyword), want a number", ""},
	{`(reduce + 0 data/orders)`, "take a number out of each, as in (reduce + (map :", ""},
	{`(filter (> :price 5) data/orders)`, "a key is looked up in a map: #(> (:price %) …)", ""},
	{`(remove (< :price 5) data/orders)`, "a key is looked up in a map: #(< (:price %) …)", ""},
	{`(try (+ "1" 2) (catch Exception e 0))`, "", ""},

	// The order of arguments.
	{`(filter data/orders even?)`, "check the order of the arguments: (filter even? data/orders)", `(filter even? data/orders)`},
	{`(map [1 2] inc)`, "check the order of the arguments: (map inc [1 2])", `(map inc [1 2])`},
	{`(reduce [1 2] +)`, "check the order of the arguments: (reduce + [1 2])", `(reduce + [1 2])`},
	{`(mapv data/orders :id)`, "check the order of the arguments: (mapv :id data/orders)", `(mapv :id data/orders)`},
	{`(group-by data/orders :region)`, "check the order of the arguments: (group-by :region data/orders)", `(group-by :region data/orders)`},
	{`(sort-by data/orders :region)`, "check the order of the arguments: (sort-by :region data/orders)", `(sort-by :region data/orders)`},
	{`(some data/orders #(= 1 %))`, "check the order of the arguments: (some #(= 1 %) data/orders)", ""},
	{`(take [1 2 3] 2)`, "check the order of the arguments: (take 2 [1 2 3])", `(take 2 [1 2 3])`},
	{`(doall (drop data/orders 2))`, "got 2 (integer), want a collection", ""},

	// Operators among strings.
	{`(str "a" + "b")`, "+ is an argument of str, which writes it as a function", `(str "a" "b")`},
	{`(println "total: " + 5)`, "+ is an argument of println, which writes it as a function", `(println "total: " 5)`},
	{`(let [n 2] (str "n: " + n + "!"))`, "+ is an argument of str", `(let [n 2] (str "n: " n "!"))`},
	{`(prn 2 * 3)`, "* is an argument of prn", ""},
	{`(str (apply + [1]))`, "", ""},

	// Formats and elements of what has none: plain words first.
	{`(format "%d" 1.5)`, "format: got a floating-point number for %d", ""},
	{`(let [s "%d"] (format s "a"))`, "format: got a string for %d", ""},
	{`(format "%s %s" 1)`, "format: there is no value for %s", ""},
	{`(let [x 5] (first x))`, "got 5 (integer), want a collection", ""},
	{`(let [x 5] (count (map inc x)))`, "got 5 (integer), want a collection", ""},

	// Names defined further down.
	{"(f 1)\n(defn f [x] x)", "f is defined at 2:1: move that up, or put (declare f) before its first use", ""},
	{"(println total)\n(def total 1)", "total is defined at 2:1", ""},
	{"(defn g [] (h))\n(defn- h [] 1) (g)", "h is defined at 2:1", ""},

	// Names of the host.
	{`(count orders)`, "did you mean data/orders?", `(count data/orders)`},
	{`data.orders`, "did you mean data/orders?", `data/orders`},
	{`(count input/orders)`, "did you mean data/orders?", `(count data/orders)`},
	{`(put "a")`, "did you mean tool/put?", `(tool/put "a")`},
	{`(tools/put "a")`, "did you mean tool/put?", `(tool/put "a")`},
	{`(tool.put "a")`, "did you mean tool/put?", `(tool/put "a")`},
	{`(web.get "a")`, "did you mean tool/web.get?", `(tool/web.get "a")`},
	{`(web/get "a")`, "did you mean tool/web.get?", `(tool/web.get "a")`},
	{`(web-get "a")`, "did you mean tool/web.get?", `(tool/web.get "a")`},
	{`(tools/web.get "a")`, "did you mean tool/web.get?", `(tool/web.get "a")`},
	{`(Math.sqrt 4)`, "did you mean Math/sqrt?", `(Math/sqrt 4)`},
	{`(math.sqrt 4)`, "did you mean math/sqrt?", `(math/sqrt 4)`},
	{`(str.join "," ["a"])`, "did you mean str/join?", `(str/join "," ["a"])`},
	{`(JSON.parse "1")`, "did you mean json/parse?", `(json/parse "1")`},
	{`(json.loads "1")`, "did you mean json/parse?", `(json/parse "1")`},
	{`(console.log 1)`, "did you mean println?", `(println 1)`},
	{`(let [x {:name 1}] (str x.name))`, "did you mean (:name x)?", `(let [x {:name 1}] (str (:name x)))`},
	{`(let [x {:a {:b 1}}] (str x.a.b))`, "did you mean (get-in x [:a :b])?", `(let [x {:a {:b 1}}] (str (get-in x [:a :b])))`},
	{`(let [xs [1]] (str xs.length))`, "did you mean (count xs)?", `(let [xs [1]] (str (count xs)))`},
	{`(str orders.length)`, "did you mean", ""},

	// Functions of other languages.
	{`(sum [1 2])`, "use (reduce + xs)", ""},
	{`(avg [1 2])`, "use (/ (reduce + xs) (count xs))", ""},
	{`(sorted [2 1])`, "use sort", ""},
	{`(unique [1 1])`, "use distinct", `(distinct [1 1])`},
	{`(flatMap list [1])`, "use mapcat", `(mapcat list [1])`},
	{`(toUpperCase "a")`, "use str/upper-case", `(str/upper-case "a")`},
	{`(enumerate [1])`, "use map-indexed", ""},
	{`(map-vals inc {:a 1})`, "use update-vals", `(update-vals inc {:a 1})`},
	{`(parse-json "1")`, "use json/parse", `(json/parse "1")`},
	{`(any even? [1])`, "use some", `(some even? [1])`},

	// The syntax of other languages.
	{`[x for x in data/orders]`, "(for [x data/orders] x) makes the sequence", ""},
	{`[x for x in data/orders if x > 1]`, "(for [x data/orders :when (> x 1)] x) makes the sequence", ""},
	{`[f(x) for x in data/orders]`, "(for [x data/orders] (f x)) makes the sequence", ""},
	{`[k for k, v in m.items()]`, "(for [[k v] m] k) makes the sequence", ""},
	{`{k: v for k, v in m.items()}`, "(into {} (for [[k v] m] [k v])) makes a map", ""},
	{`x = 5`, "(def x 5) defines a name, (let [x 5] …) a local one", ""},
	{`let x = 5`, "(def x 5) defines a name, (let [x 5] …) a local one", ""},
	{`const total = sum(data);`, "(def total (sum data)) defines a name", ""},
	{`var x = 1;`, "(def x 1) defines a name", ""},
	{`x := 5`, "(def x 5) defines a name", ""},
	{`(x = 5)`, "(let [x 5] …) a local one", ""},
	{`x += 1`, "a name keeps its value: (let [x (+ x 1)] …)", ""},
	{`if x == 1:`, "(if (= x 1) then else)", ""},
	{`if (x > 1) {`, "(if (> x 1) then else)", ""},
	{"while i < 3:\n  i", "repeats; (doseq [x xs] …) goes over a collection", ""},
	{"for x in data/orders:\n  print(x)", "(doseq [x data/orders] …) calls something for each", ""},
	{`for (const x of xs) {`, "(doseq [x xs] …) calls something for each", ""},
	{"def f(x, y):\n  return x", "(defn f [x y] …) defines a function", ""},
	{`function f(x) { return x }`, "(defn f [x] …) defines a function", ""},
	{`lambda x: x + 1`, "(fn [x] (+ x 1)) is a function", ""},
	{`(map (x => x) data/orders)`, "(fn [x] x) is a function", ""},
	{`import json`, "(json/parse s) reads JSON", ""},
	{`from math import sqrt`, "(math/sqrt x)", ""},
	{`import requests`, "a granted tool makes requests", ""},
	{`{"a": 1}`, `a map has no colon after a key: {:a 1}, or {"a" 1}`, ""},
	{`{a: 1}`, `a map has no colon after a key: {:a 1}`, ""},
	{"{\"a b\": 1}", `a map has no colon after a key: {"a b" 1}`, ""},
	{`f"total: {total}"`, `(str "total: " total) puts strings together`, ""},
	{`x if x > 1 else y`, "(if (> x 1) x y)", ""},
	{"try:\n  1", "(try … (catch :default e …)", ""},
	{"# a comment\n1", "a comment begins with ;", ""},
	{"// a comment\n1", "a comment begins with ;", ""},
	{"await fetch(url)", "a call waits for its result", ""},
	{"```clojure\n(+ 1 2)\n```", "remove the lines of the fence", ""},
	{"(apply = [1 1])", "", ""},

	// The end of the run in a worker.
	{`(psettle (fn [x] (if x 1 (fail "x"))) [1 2])`, "fail in a worker of psettle ends the whole run", ""},
	{`(pmap (fn [x] (when x (return x))) [1 2])`, "return in a worker of pmap ends the whole run", ""},
	{`(defn check [x] (if x 1 (fail "x"))) (psettle check [1 2])`, "fail in a worker of psettle", ""},
	{`(psettle (fn [x] (if x 1 (throw (ex-info "x" {})))) [1 2])`, "", ""},

	// Keys that the input and results do not have.
	{`(map :quantitty data/orders)`, "did you mean :quantity? there are :id :lines :quantity :region", ""},
	{`(:regon (first data/orders))`, "did you mean :region?", ""},
	{`(map (fn [o] (:regon o)) data/orders)`, "did you mean :region?", ""},
	{`(map #(:regon %) data/orders)`, "did you mean :region?", ""},
	{`(for [o data/orders] (:regon o))`, "did you mean :region?", ""},
	{`(defn f [o] (:regon o)) (map f data/orders)`, "did you mean :region?", ""},
	{`(map (fn [{:keys [regon]}] regon) data/orders)`, "did you mean :region?", ""},
	{`(->> data/orders (filter :id) (map :regon))`, "did you mean :region?", ""},
	{`(mapcat :line data/orders)`, "did you mean :lines?", ""},
	{`(:nex (tool/shape {}))`, "did you mean :next?", ""},
	{`(map :region data/orders)`, "", ""},
	{`(map :other data/orders)`, "", ""},
	{`(map :regon (map #(assoc % :regon 1) data/orders))`, "", ""},
	{`data/order`, "did you mean data/orders?", ""},
}

// TestMistakes requires each mistake to be reported, and fixed if that is certain.
func TestMistakes(t *testing.T) {
	reg := checkTools(t, func(string) {})
	shape := json.RawMessage(`{"type":"object","properties":{"next":{"type":"integer"}}}`)
	for _, more := range []*tool.Tool{
		tool.Dynamic("web.get", "", json.RawMessage(`{"type":"object","properties":{"url":{"type":"string"}},"required":["url"]}`),
			nil, toolFunc(func() {}), tool.ReadOnly()),
		tool.Dynamic("shape", "", json.RawMessage(`{"type":"object"}`), shape, toolFunc(func() {}), tool.ReadOnly())} {
		if err := reg.Add(more); err != nil {
			t.Fatal(err)
		}
	}
	orders := json.RawMessage(`[{"id":1,"region":"n","quantity":2,"lines":[{"sku":"a"}]}]`)
	data := map[string]any{"orders": orders}
	opts := ptc.Options{Tools: reg, DataNames: []string{"orders"},
		DataShapes: map[string]*tool.Schema{"orders": prompt.Shape(orders)}}
	for _, c := range slices.Concat(mistakes, typeMistakes, valueMistakes, correct) {
		t.Run(c.source, func(t *testing.T) {
			got := toldOf(t, c.source, opts, data)
			if c.told == "" && got != "" && c.fixed != "!" || !strings.Contains(got, c.told) {
				t.Errorf("got  %s\nwant %s", got, c.told)
			}
			if c.fixed == "" || c.fixed == "!" {
				return
			}
			fixed, _, err := ptc.Fix(context.Background(), "t.ptc", c.source, opts)
			if err != nil || fixed != c.fixed {
				t.Errorf("fixed to %s, %v\nwant     %s", fixed, err, c.fixed)
			}
		})
	}
}

// toldOf returns the report about a program: of the check, or else of the run, if that fails.
func toldOf(t *testing.T, source string, opts ptc.Options, data map[string]any) string {
	t.Helper()
	var all []string
	for _, d := range ptc.Check(context.Background(), "t.ptc", source, opts).Diagnostics {
		if d.Code != "unused-binding" && d.Code != "ordered-effects" {
			all = append(all, string(d.Code)+": "+d.Message+" ("+d.Hint+")")
		}
	}
	p, err := ptc.Compile(context.Background(), "t.ptc", source, opts)
	if err == nil {
		_, err = p.Run(context.Background(), ptc.RunOptions{Data: data})
	}
	if e, ok := err.(*ptc.Error); ok {
		all = append(all, e.Message+" ("+e.Hint+")")
	}
	return strings.Join(all, "\n")
}
