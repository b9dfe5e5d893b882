package lint_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

// anyTool is told of a program that evaluates what it makes, or may do so.
const anyTool = "any; find unknown, in parallel; mark unknown, in parallel under global-exclusive; put unknown, in parallel"

// effectCases are programs with what they can reach: each tool with how often.
var effectCases = []struct{ source, want string }{
	{`(+ 1 2)`, ""},
	{`(defn f [] (tool/find "a")) 1`, ""},
	{`(tool/find "a")`, "find at most 1"},
	{`(defn f [] (tool/find "a")) (f) (f)`, "find at most 2"},
	{`(if true (tool/find "a") (tool/put "b"))`, "find at most 1; put at most 1"},
	{`(areduce (long-array 3) i r 0 (do (tool/find "a") r))`, "find bounded by the data"},
	{`(vec (amap (long-array 3) i r (do (tool/find "a") 1)))`, "find bounded by the data"},
	{`(dotimes [i 3] (tool/find "a"))`, "find at most 3"},
	{`(dotimes [i 3] (dotimes [j 2] (tool/find "a")))`, "find at most 6"},
	{`(let [n 3] (dotimes [i n] (tool/find "a")))`, "find bounded by the data"},
	{`(doseq [x ["a"]] (tool/find x))`, "find bounded by the data"},
	{`(doall (for [x ["a"] y ["b"]] (tool/find y)))`, "find bounded by the data"},
	{`(doall (for [r (:xs (tool/find "a"))] r))`, "find at most 1"},
	{`(run! tool/find ["a"])`, "find bounded by the data"},
	{`(->> ["a"] (map #(tool/find %)) (filter some?) count)`, "find bounded by the data"},
	{`(into [] (comp (map tool/find) (filter some?)) ["a"])`, "find bounded by the data"},
	{`(take 2 (map tool/find (repeat "a")))`, "find unknown"},
	{`(loop [n 2] (when (pos? n) (tool/find "a") (recur (dec n))))`, "find unknown"},
	{`(defn f [n] (when (pos? n) (tool/find "a") (recur (dec n)))) (f 2)`, "find unknown"},
	{`(defn f [n] (when (pos? n) (tool/find "a") (f (dec n)))) (f 2)`, "find unknown"},
	{`(declare g) (defn f [n] (when (pos? n) (g n))) (defn g [n] (tool/find "a") (f (dec n))) (f 2)`, "find unknown"},
	{`(let [n (atom 0)] (while (< @n 2) (swap! n inc) (tool/find "a")))`, "find unknown"},
	{`(retry {:times 2} (tool/find "a"))`, "find at most 2"},
	{`(retry {} (tool/find "a"))`, "find at most 3"},
	{`(let [f tool/find] (f "a"))`, "find at most 1"},
	{`(let [f (fn [x] (tool/find x))] (f "a") (f "b"))`, "find at most 2"},
	{`(letfn [(f [x] (tool/find x))] (f "a"))`, "find at most 1"},
	{`((fn [x] (tool/find x)) "a")`, "find at most 1"},
	{`(apply tool/find ["a"])`, "find at most 1"},
	{`((partial tool/find) "a")`, "find unknown"},
	{`(defn each [f xs] (doseq [x xs] (f x))) (each tool/find ["a"])`, "find unknown"},
	{`((:f {:f tool/find}) "a")`, "find unknown"},
	{`(def f tool/find) (f "a")`, "find unknown"},
	{`(defn f [] (tool/find "a")) ((deref #'f))`, "find unknown"},
	{`(defn f [] (tool/find "a")) ((resolve 'f))`, "find unknown"},
	{`(defmulti m :k) (defmethod m 1 [x] (tool/find "a")) (m {:k 1})`, "find unknown"},
	{`(defprotocol P (m [x])) (defrecord R [] P (m [x] (tool/find "a"))) (m (->R))`, "find unknown"},
	{`(let [d (delay (tool/find "a"))] @d @d)`, "find unknown"},
	{`(defmacro m [] '(tool/find "a")) (m)`, "find at most 1"},
	{`(defn f [] 1) (with-redefs [f #(tool/find "a")] (f))`, "find unknown"},
	{`(try (throw (ex-info "x" {})) (catch Exception e (tool/find "a")) (finally (tool/put "b")))`, "find at most 1; put at most 1"},
	{`(pmap tool/find ["a"])`, "find bounded by the data, in parallel"},
	{`(pcalls #(tool/find "a") #(tool/put "b"))`, "find at most 1, in parallel; put at most 1, in parallel"},
	{`(hedge 100 #(tool/find "a"))`, "find at most 2, in parallel"},
	{`(global-exclusive (tool/find "a"))`, "find at most 1 under global-exclusive"},
	{`(tool/find "b") (global-exclusive (tool/find "a"))`, "find at most 2"},
	{`(defn f [] (tool/put "a")) (host-exclusive "h" (f))`, "put at most 1 under host-exclusive h"},
	{`(tool/mark "a")`, "mark at most 1 under global-exclusive"},
	{`(eval '(tool/find "a"))`, anyTool},
	{`(let [{:keys [a] :or {a (tool/find "x")}} {}] a)`, "find at most 1"},
	{`(case 1 1 (tool/find "a") (tool/put "b"))`, "find at most 1; put at most 1"},
	{`(defn f ([] (f "a")) ([x] (tool/find x))) (f)`, "find unknown"},
	{`(reduce (fn [acc x] (tool/find x) acc) 0 ["a" "b"])`, "find bounded by the data"},
	{`(sort-by (fn [x] (tool/find x) x) ["a" "b"])`, "find bounded by the data"},
	{`(swap! (atom "a") tool/find)`, "find at most 1"},
	{`(let [r (ref "a")] (dosync (alter r tool/find)))`, "find at most 1"},
	{`(let [r (ref "a")] (dosync (commute r tool/find)))`, "find at most 2"},
	{`(dosync (tool/find "a"))`, "find at most 1"},
	{`(update {:a "x"} :a tool/find)`, "find at most 1"},
	{`(doto "a" tool/find tool/find)`, "find at most 2"},
	{`(some-> "a" tool/find)`, "find at most 1"},
	{`((resolve 'eval) '(tool/find "a"))`, anyTool},
	{`((resolve (symbol "eval")) '(tool/find "a"))`, anyTool},
	{`(((resolve 'resolve) (symbol "eval")) '(tool/find "a"))`, anyTool},
	{`((ns-resolve 'clojure.core 'eval) '(tool/find "a"))`, anyTool},
	{`((find-var 'clojure.core/eval) '(tool/find "a"))`, anyTool},
	{`((get (ns-publics 'clojure.core) 'eval) '(tool/find "a"))`, anyTool},
	{`((first (map resolve ['eval])) '(tool/find "a"))`, anyTool},
	{`(defn f [] (tool/find "a")) (def g 1) (def f (alter-meta! #'g (fn [m v] (v) m) #'f))`, "find unknown"},
	{`(def f (global-exclusive (fn [] (tool/find "a")))) (f)`, "find unknown"},
	{`(def xs (global-exclusive (map tool/find ["a"]))) (count xs)`, "find bounded by the data"},
	{`(defn f [] (map tool/find ["a"])) (count (global-exclusive (f)))`, "find bounded by the data"},
	{`(def xs (global-exclusive (mapcat (fn [x] [(tool/find x)]) ["a"]))) (count xs)`, "find bounded by the data"},
	{`(global-exclusive (mapv tool/find ["a"]))`, "find bounded by the data under global-exclusive"},
	{`(defn each [f xs] (pmap f xs)) (each tool/find ["a"])`, "find unknown, in parallel"},
	{`(apply pmap tool/find [["a"]])`, "find unknown, in parallel"},
	{`(let [s (map tool/find ["a"])] (pmap (fn [_] (count s)) [1 2]))`, "find bounded by the data, in parallel"},
	{`(dotimes [_ 3] (loop* [j 0] (if (< j 9) (do (tool/find "a") (recur (inc j))))))`, "find unknown"},
	{"(defmacro m [] `(loop* [j# 0] (if (< j# 9) (do (tool/find \"a\") (recur (inc j#)))))) (dotimes [_ 3] (m))", "find unknown"},
	{`(update {:a ["x" "y"]} :a (partial mapv tool/find))`, "find bounded by the data"},
	{`(update {} :a (fnil (fn [g] (g) (g)) #(tool/find "a")))`, "find unknown"},
	{`(apply (some-fn (fn [x] (tool/find x) nil)) ["a" "b"])`, "find bounded by the data"},
	{`(let [s (lazy-seq (tool/find "a") (throw (ex-info "" {})))] (dotimes [_ 2] (try (seq s) (catch Exception _ 1))))`, "find unknown"},
}

// TestEffects checks the reported effects of a program, and that a run has no others.
func TestEffects(t *testing.T) {
	for _, c := range effectCases {
		t.Run(c.source, func(t *testing.T) {
			if got := bounded(t, c.source); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// bounded runs a program and compares the calls with its effects, which it returns.
func bounded(t *testing.T, source string) string {
	t.Helper()
	var mu sync.Mutex
	calls := make(map[string]int)
	opts := ptc.Options{Tools: checkTools(t, func(name string) { mu.Lock(); defer mu.Unlock(); calls[name]++ })}
	f := ptc.Check(context.Background(), "t.ptc", source, opts)
	if f.Err != nil {
		t.Fatalf("%s: %v", source, f.Err)
	}
	ptc.Run(t.Context(), source, opts) // an error is an end like another
	mu.Lock()
	defer mu.Unlock()
	for name, n := range calls {
		ok := false
		for _, u := range f.Effects.Tools {
			ok = ok || u.Name == name && (u.Calls.Kind.String() != "constant" || n <= u.Calls.Most)
		}
		if !ok {
			t.Errorf("%s\ncalls %s %d times, and reaches %s", source, name, n, ptctest.Reaches(f.Effects))
		}
	}
	return ptctest.Reaches(f.Effects)
}

// TestAsks: a program that can ask a person says so, with how often.
func TestAsks(t *testing.T) {
	for source, want := range map[string]string{
		`(+ 1 2)`:                                   "",
		`(defn f [] (ask {:question "a"})) 1`:       "",
		`(ask {:question "a"})`:                     "at most 1",
		`(dotimes [_ 3] (ask {:question "a"}))`:     "at most 3",
		`(pmap #(ask {:question %}) ["a"])`:         "bounded by the data, in parallel",
		`(mapv ask [{:question "a"}])`:              "unknown",
		`(eval '(ask {:question "a"}))`:             "unknown, in parallel",
		`(binding [*out* 1] (ask {:question "a"}))`: "at most 1",
	} {
		f := ptc.Check(context.Background(), "t.ptc", source, ptc.Options{Tools: checkTools(t, func(string) {})})
		got := ""
		if f.Effects != nil && f.Effects.Asks != nil {
			got = f.Effects.Asks.Calls.String()
			if f.Effects.Asks.Parallel {
				got += ", in parallel"
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}

// TestEffectsOfMany does the same for programs made by chance of what passes functions on.
func TestEffectsOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range testlevel.Size(100, 400) {
		var b strings.Builder
		n := 1 + r.IntN(3)
		for i := range n {
			fmt.Fprintf(&b, "(defn f%d [x] %s)\n", i, made(r, 3, i))
		}
		b.WriteString(made(r, 4, n))
		bounded(t, b.String())
	}
}

// made makes an expression in which x may be a local and f0 to f(known-1) are functions.
func made(r *rand.Rand, depth, known int) string {
	fn := func() string { return madeFn(r, depth-1, known) }
	e := func() string { return made(r, depth-1, known) }
	if depth == 0 {
		return [...]string{`"a"`, `(tool/find "a")`, `(tool/put "b")`}[r.IntN(3)]
	}
	switch r.IntN(20) {
	case 0:
		return fmt.Sprintf("(do %s %s)", e(), e())
	case 1:
		return fmt.Sprintf("(if %s %s %s)", e(), e(), e())
	case 2:
		return fmt.Sprintf("(let [g %s] (g %s))", fn(), e())
	case 3:
		return fmt.Sprintf("(let [g %s h g] [(g 1) (map h [1 2])])", fn())
	case 4:
		return fmt.Sprintf("(doall (map %s [1 2]))", fn())
	case 5:
		return fmt.Sprintf("(dotimes [i 2] %s)", e())
	case 6:
		return fmt.Sprintf("(doseq [i [1 2]] %s)", e())
	case 7:
		return fmt.Sprintf("(doall (for [i [%s 2] :when i j [1 2]] %s))", e(), e())
	case 8:
		return fmt.Sprintf("(retry {:times 2 :backoff-ms 0 :on #{:exception}} (do %s (throw (ex-info \"x\" {}))))", e())
	case 9:
		return fmt.Sprintf("(pmap %s [1 2])", fn())
	case 10:
		return fmt.Sprintf("(pcalls (fn [] %s) (fn [] %s))", e(), e())
	case 11:
		return fmt.Sprintf("((comp %s %s) 1)", fn(), fn())
	case 12:
		return fmt.Sprintf("(try %s (catch Exception e %s) (finally %s))", e(), e(), e())
	case 13:
		return fmt.Sprintf("(loop [i 0] (when (< i 2) %s (recur (inc i))))", e())
	case 14:
		return fmt.Sprintf("(reduce (fn [acc i] %s) %s [1 2])", e(), e())
	case 15:
		return fmt.Sprintf("((:g {:g %s}) 1)", fn())
	case 16:
		return fmt.Sprintf("(let [d (delay %s) s (lazy-seq [%s])] (pmap (fn [_] [@d (first s)]) [1 2]))", e(), e())
	case 17:
		return fmt.Sprintf("(with-redefs [inc %s] (inc 1))", fn())
	case 18:
		return fmt.Sprintf("(letfn [(g [n] (when (pos? n) %s (h (dec n)))) (h [n] (g n))] (h 2))", e())
	}
	return fmt.Sprintf("(%s %s)", fn(), e())
}

func madeFn(r *rand.Rand, depth, known int) string {
	switch k := r.IntN(6); {
	case k == 0:
		return "tool/find"
	case k == 1 && known > 0:
		return fmt.Sprintf("f%d", r.IntN(known))
	case k == 2:
		return fmt.Sprintf("(partial %s)", madeFn(r, 0, known))
	case k == 3 && depth > 0:
		return fmt.Sprintf("(let [k %s] (fn [x] (k x)))", madeFn(r, depth-1, known))
	}
	return fmt.Sprintf("(fn [_] %s)", made(r, max(depth-1, 0), known))
}

func TestEffectsJSON(t *testing.T) {
	f := ptc.Check(context.Background(), "t.ptc", `(dotimes [i 3] (tool/find "a"))`, ptc.Options{Tools: checkTools(t, func(string) {})})
	got, err := json.Marshal(f.Effects)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"tools":[{"name":"find","signature":"find {:query string :limit int? :kind \"a\"|\"b\"?} -\u003e any","effect":"read-only",` +
		`"bound":"constant","atMost":3,"parallel":false,"guards":[],` +
		`"places":[{"start":{"line":1,"column":17,"offset":16},"end":{"line":1,"column":26,"offset":25}}]}],"anyTool":false}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// FuzzCheck checks that there is no panic, that places are within the text, and that fixing ends.
func FuzzCheck(f *testing.F) {
	for _, c := range checkCases {
		f.Add(c.source)
	}
	for _, c := range effectCases {
		f.Add(c.source)
	}
	opts := ptc.Options{Tools: checkTools(f, func(string) {}), Limits: ptc.Limits{Steps: 1_000_000, Memory: 8 << 20}}
	f.Fuzz(func(t *testing.T, source string) {
		found := ptc.Check(context.Background(), "t.ptc", source, opts)
		inside := func(start, end int) bool { return 0 <= start && start <= end && end <= len(source) }
		for _, d := range found.Diagnostics {
			if d.Code == "internal" || !d.Span.IsZero() && !inside(d.Span.Start, min(d.Span.End, len(source))) {
				t.Errorf("%s at %d to %d: %s", d.Code, d.Span.Start, d.Span.End, d.Message)
			}
			for _, e := range d.Fix {
				if !inside(e.Span.Start, e.Span.End) {
					t.Errorf("%s: an edit from %d to %d", d.Code, e.Span.Start, e.Span.End)
				}
			}
		}
		fixed, _, _ := ptc.Fix(context.Background(), "t.ptc", source, opts)
		if found.Err == nil {
			if _, err := ptc.Compile(context.Background(), "t.ptc", fixed, opts); err != nil {
				t.Errorf("fixed, it does not compile: %v\n%s", err, fixed)
			}
		}
	})
}
