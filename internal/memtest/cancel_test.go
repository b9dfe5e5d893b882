// This file tests that a run can be cancelled anywhere: in the middle of the longest work that each
// builtin can be given.

package memtest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
)

var moments = flag.Int("moments", 0,
	"at how many random moments each long work is cancelled; 0 cancels a sample of them once, early")

const (
	sampled = 7                     // without -moments, one of this many works is cancelled
	early   = 50 * time.Millisecond // maximum delay of that cancellation
)

// hang is the maximum time that a cancelled run may take on a busy machine. The table shows the
// measured times, which should be below 10 ms.
const hang = 20 * time.Second

// long is a piece of work that takes long. The run prints before and after it.
type long struct {
	name  string
	setup string
	work  string
	data  func() map[string]any // input data; the work is then its conversion
	// charge is the maximum single charge, if it exceeds maxBlock: for many blocks together (code,
	// automata), or for the stack of calls, which is one block.
	charge int64
}

const (
	million  = `(def xs (vec (shuffle (range 1000000))))`
	strings1 = `(def xs (mapv (fn [i] (str "item-" (mod (* i 7919) 1000003))) (range 1000000)))`
	nested   = `(def xs (mapv (fn [i] {:a [i (str i)] :b #{i}}) (range 200000)))`
	text10MB = `(def text (apply str (repeat 1000000 "abcde,1234")))`
	wide10MB = `(def text (apply str (repeat 500000 "äöü€,é1234é日")))`
	large    = `(def xs (vec (range 4000000)))`
)

func numbers() map[string]any {
	list := make([]any, 1_000_000)
	for i := range list {
		list[i] = float64(i)
	}
	return map[string]any{"x": list}
}

func objects() map[string]any {
	list := make([]any, 200_000)
	for i := range list {
		list[i] = map[string]any{"id": i, "name": "abc", "tags": []any{"x", "y"}}
	}
	return map[string]any{"x": list}
}

func keys() map[string]any {
	m := make(map[string]any, 500_000)
	for i := range 500_000 {
		m[fmt.Sprintf("key%d", i)] = i
	}
	return map[string]any{"x": m}
}

func structs() map[string]any {
	type item struct {
		ID   int
		Name string
	}
	return map[string]any{"x": slices.Repeat([]item{{1, "abc"}}, 300_000)}
}

var longs = []long{
	{name: "sort of integers", setup: million, work: `(sort xs)`},
	{name: "sort of strings", setup: strings1, work: `(sort xs)`},
	{name: "sort of vectors", setup: `(def xs (mapv (fn [i] [(mod (* i 7919) 1003) i]) (range 1000000)))`, work: `(sort xs)`},
	{name: "sort of mixed numbers", setup: `(def xs (vec (shuffle (concat (range 500000) (map double (range 500000))))))`, work: `(sort xs)`},
	{name: "sort by a comparator", setup: million, work: `(sort (fn [a b] (> a b)) xs)`},
	{name: "sort-by", setup: million, work: `(sort-by - xs)`},
	{name: "sort-by of sorted data", setup: `(def xs (vec (range 1000000)))`, work: `(sort-by identity xs)`},
	{name: "regex, no match", setup: text10MB, work: `(re-find #"(a|b)+(c|d)*e,\d+z" text)`},
	{name: "regex, every match", setup: text10MB, work: `(count (re-seq #"(\w+),(\d+)" text))`},
	{name: "regex with classes", setup: text10MB, work: `(re-matches #"(?i)([a-z,0-9]{1,50}\p{L}?)*!" (subs text 0 300000))`},
	{name: "regex replaced", setup: text10MB, work: `(clojure.string/replace text #"[a-e]+" "<$0>")`},
	{name: "split by a regex", setup: text10MB, work: `(clojure.string/split text #",")`},
	{name: "regex compiled", charge: 16 << 20, work: `(re-pattern (apply str (repeat 40 "(a|b{1,9}|[^x]\\p{L})")))`},
	{name: "join", setup: strings1, work: `(clojure.string/join "," xs)`},
	{name: "str of many", setup: strings1, work: `(apply str xs)`},
	{name: "replace", setup: text10MB, work: `(clojure.string/replace text "cd" "x")`},
	{name: "replace of characters", setup: text10MB, work: `(clojure.string/replace text \c \x)`},
	{name: "replace that finds nothing", setup: text10MB, work: `(clojure.string/replace text "abcde,1235" "x")`},
	{name: "index-of", setup: text10MB, work: `(clojure.string/index-of text "abcde,1235")`},
	{name: "upper-case", setup: text10MB, work: `(clojure.string/upper-case text)`},
	{name: "reverse of a string", setup: text10MB, work: `(clojure.string/reverse text)`},
	{name: "escape", setup: text10MB, work: `(clojure.string/escape text {\a "aa"})`},
	{name: "trim", setup: `(def text (apply str (repeat 10000000 " ")))`, work: `(clojure.string/trim text)`},
	{name: "blank?", setup: `(def text (apply str (repeat 10000000 " ")))`, work: `(clojure.string/blank? text)`},
	{name: "string as characters", setup: text10MB, work: `(vec text)`},
	{name: "count of a string", setup: `(def text (apply str (repeat 5000000 "é")))`, work: `(count text)`},
	{name: "nth of a string", setup: `(def text (apply str (repeat 5000000 "é")))`, work: `(nth text 4999999)`},
	{name: "subs of a string", setup: `(def text (apply str (repeat 5000000 "é")))`, work: `(subs text 4000000)`},
	{name: "equal strings", setup: text10MB + `(def other (str (subs text 1) "x"))(def more (str (subs text 0 9999999) "x"))`, work: `[(= text more) (compare text more)]`},
	{name: "hash of a string", setup: text10MB, work: `(hash text)`},
	{name: "keyword of a string", setup: text10MB, work: `(dotimes [_ 10] (keyword (subs text 0 1000000)))`},
	{name: "bigint product", setup: `(def a (reduce *' (repeat 1100 123456789123456789N)))`, work: `(dotimes [_ 500] (*' a a))`},
	{name: "bigint power", work: `(dotimes [_ 20] (reduce *' (repeat 2900 12345678912345N)))`},
	{name: "bigint quotient", setup: `(def a (reduce *' (repeat 2200 123456789123456789N))) (def b (reduce *' (repeat 1000 123456789123456789N)))`, work: `(dotimes [_ 500] (quot a b))`},
	{name: "bigint printed", setup: `(def a (reduce *' (repeat 2200 123456789123456789N)))`, work: `(dotimes [_ 200] (str a))`},
	{name: "bigint read", setup: `(def s (apply str (repeat 39000 "7")))`, work: `(dotimes [_ 100] (bigint s))`},
	{name: "ratios", setup: `(def a (reduce *' (repeat 560 123456789123456789N)))`, work: `[(reduce + (map (fn [i] (/ i (inc a))) (range 1 200))) (dotimes [i 100] (/ (+ a i) (inc (* a 7))))]`},
	{name: "decimals", setup: `(def a (reduce *' (repeat 2000 123456789123456789.5M)))`, work: `(dotimes [_ 100] [(* a 1.5M) (str a)])`},
	{name: "JSON read", setup: `(def s (str "[" (clojure.string/join "," (repeat 250000 "{\"a\":[1,2.5,\"xyz\"],\"b\":\"c\\n\"}")) "]"))`, work: `(json/parse s)`},
	{name: "JSON of one string", setup: `(def s (str "\"" (apply str (repeat 10000000 "x")) "\""))`, work: `(json/parse s)`},
	{name: "JSON of one escaped string", setup: `(def s (str "\"" (apply str (repeat 3000000 "\\n")) "\""))`, work: `(json/parse s)`},
	{name: "JSON of spaces", setup: `(def s (str (apply str (repeat 10000000 " ")) "1"))`, work: `(json/parse s)`},
	{name: "JSON of one object", setup: `(def s (str "{" (clojure.string/join "," (map (fn [i] (str "\"key" i "\":" i)) (range 500000))) "}"))`, work: `(json/parse s)`},
	{name: "JSON written", setup: nested, work: `(json/write xs)`},
	{name: "JSON of a string written", setup: text10MB, work: `(json/write text)`},
	{name: "equality of nested data", setup: nested + `(def ys (mapv (fn [i] {:a [i (str i)] :b #{i}}) (range 200000)))`, work: `(= xs ys)`},
	{name: "equality of vectors", setup: `(def xs (vec (range 1000000))) (def ys (vec (range 1000000)))`, work: `(= xs ys)`},
	{name: "equality of maps", setup: `(def xs (zipmap (range 300000) (range))) (def ys (zipmap (range 300000) (range)))`, work: `(= xs ys)`},
	{name: "hash of nested data", setup: nested, work: `(hash xs)`},
	{name: "hash of a vector", setup: million, work: `(hash xs)`},
	{name: "compare of vectors", setup: `(def xs (vec (range 1000000))) (def ys (vec (range 1000000)))`, work: `(compare xs ys)`},
	{name: "frequencies", setup: strings1, work: `(frequencies xs)`},
	{name: "group-by", setup: million, work: `(group-by (fn [x] (mod x 1000)) xs)`},
	{name: "into a sorted map", setup: million, work: `(into (sorted-map) (map vector (take 100000 xs) xs))`},
	{name: "sorted-set by apply", setup: million, work: `(apply sorted-set (take 200000 xs))`},
	{name: "hash-map by apply", setup: million, work: `(apply hash-map xs)`},
	{name: "set", setup: million, work: `(set xs)`},
	{name: "zipmap", setup: million, work: `(zipmap xs xs)`},
	{name: "union and difference", setup: million + `(def s (set (range 300000))) (def r (set (range 150000 400000)))`, work: `[(clojure.set/union s r) (clojure.set/difference s r) (clojure.set/intersection s r)]`},
	{name: "merge", setup: `(def a (zipmap (range 300000) (range))) (def b (zipmap (range 200000 500000) (range)))`, work: `[(merge a b) (merge-with + a b) (select-keys a (keys b))]`},
	{name: "keys and vals", setup: `(def a (zipmap (range 500000) (range)))`, work: `[(vec (keys a)) (vec (vals a))]`},
	{name: "printing numbers", setup: million, work: `(pr xs)`},
	{name: "pr-str of nested data", setup: nested, work: `(pr-str xs)`},
	{name: "pr-str of a string", setup: text10MB, work: `(pr-str text)`},
	{name: "pprint", setup: `(def xs (mapv (fn [i] {:a [i (str i)]}) (range 20000)))`, work: `(clojure.pprint/pprint xs)`},
	{name: "format of a huge width", work: `(dotimes [_ 100] (format "%1000000d" 1))`},
	{name: "format of a long string", setup: text10MB, work: `(format "%s|%S|%1000000s" text text text)`},
	{name: "read-string", setup: `(def s (str "[" (apply str (repeat 100000 "{:a 1} x ")) "]"))`, work: `(read-string s)`},
	{name: "read-string of a string", setup: `(def s (pr-str (apply str (repeat 900000 "a"))))`, work: `(dotimes [_ 20] (read-string s))`},
	{name: "edn/read-string", setup: `(def s (str "[" (apply str (repeat 100000 "{:a 1} x ")) "]"))`, work: `(clojure.edn/read-string s)`},
	{name: "eval", charge: 16 << 20, setup: `(def form (list* 'do (repeat 8000 '(let [a 1 b 2] (if a (inc b) (dec a))))))`, work: `(eval form)`},
	{name: "eval of a large vector", setup: `(def form (vec (range 120000)))`, work: `(eval form)`},
	{name: "shuffle", setup: million, work: `(shuffle xs)`},
	{name: "reverse", setup: million, work: `(reverse xs)`},
	{name: "vec of a sequence", setup: `(def xs (doall (map inc (range 1000000))))`, work: `(vec xs)`},
	{name: "subvec and into", setup: million, work: `(into [] (subvec xs 1 999999))`},
	{name: "into-array", setup: million, work: `(sort (into-array xs))`},
	{name: "array filled", work: `(dotimes [_ 4] (aclone (long-array 1000000 7)))`},
	{name: "apply with many arguments", setup: million, work: `(apply max xs)`},
	{name: "apply of a function", setup: million, work: `(apply (fn [a b & more] (count more)) xs)`},
	{name: "apply vector", setup: `(def xs (doall (map inc (range 1000000))))`, work: `(apply vector xs)`},
	{name: "lazy chain", work: `(count (filter odd? (map inc (take-nth 2 (concat (range 1000000) (range 1000000))))))`},
	{name: "nested concat", setup: `(def xs (reduce (fn [a i] (concat a [i])) [] (range 3000)))`, work: `(dotimes [_ 20] (count xs))`},
	{name: "flatten", setup: `(def xs (mapv (fn [i] [i [i [i]]]) (range 200000)))`, work: `(doall (flatten xs))`},
	{name: "postwalk", setup: `(def xs (mapv (fn [i] {:a [i]}) (range 50000)))`, work: `(clojure.walk/postwalk identity xs)`},
	{name: "distinct and dedupe", setup: million, work: `[(count (distinct xs)) (count (dedupe xs))]`},
	{name: "partition", setup: million, work: `(doall (partition 3 1 xs))`},
	{name: "interleave", setup: million, work: `(doall (interleave xs xs))`},
	{name: "nthnext and last", setup: `(def xs (apply list (range 1000000)))`, work: `(dotimes [_ 2] [(last xs) (nthnext xs 999999) (count (rest xs)) (nth xs 999998)])`},
	{name: "butlast", setup: `(def xs (apply list (range 1000000)))`, work: `(butlast xs)`},
	{name: "transients", work: `(persistent! (reduce conj! (transient #{}) (range 500000)))`},
	{name: "marks under a full account", work: `(def keep (vec (range 5000000))) (dotimes [i 1000000] (vector i i i i i i i i))`},
	{name: "some, every?, index-of", setup: million, work: `[(some neg? xs) (every? int? xs) (.indexOf xs -1) (.contains xs -1)]`},
	{name: "sort of four million", setup: large + `(def ys (reverse xs))`, work: `(sort ys)`},
	{name: "sort of four million by a function", setup: large, work: `(sort (fn [a b] (> a b)) (vec (take 1000000 xs)))`},
	{name: "vec of ten million", work: `(vec (range 10000000))`},
	{name: "apply of ten million", work: `[(apply + (range 10000000)) (apply max (range 10000000)) (apply < (range 10000000))]`},
	{name: "apply str of ten million", work: `(apply str (range 10000000))`},
	{name: "apply vector, list, set of millions", work: `[(apply vector (range 5000000)) (apply list (range 3000000)) (apply hash-set (range 1000000))]`},
	{name: "arrays of ten million", work: `(let [a (long-array 10000000)] (aset a 9999999 1) (aclone a))`},
	{name: "into-array of millions", setup: large, work: `(alength (into-array xs))`},
	{name: "mapv of millions", setup: large, work: `(mapv inc xs)`},
	{name: "join of millions", setup: large, work: `(clojure.string/join ", " xs)`},
	{name: "string of 160 MB", work: `(let [s (apply str (repeat 10000000 "abcdefgh"))] (str s s))`},
	{name: "repeat of a string", work: `(.repeat "abc" 50000000)`},
	{name: "case of a wide string", setup: wide10MB, work: `[(clojure.string/upper-case text) (clojure.string/lower-case text) (clojure.string/capitalize text)]`},
	{name: "places in a wide string", setup: wide10MB, work: `[(clojure.string/index-of text "zz") (clojure.string/last-index-of text "zz") (clojure.string/index-of text "日" 5499990) (clojure.string/includes? text "zz")]`},
	{name: "last-index-of", setup: text10MB, work: `(clojure.string/last-index-of text "abcde,1235")`},
	{name: "subs of a wide string", setup: wide10MB, work: `[(subs text 3 5499990) (nth text 5499990) (count (str text "x")) (.charAt text 5000000)]`},
	{name: "reverse of a wide string", setup: wide10MB, work: `(clojure.string/reverse text)`},
	{name: "replace in a wide string", setup: wide10MB, work: `[(clojure.string/replace text "日" "ni") (clojure.string/replace text "zz" "ni")]`},
	{name: "lines", setup: `(def text (apply str (repeat 1000000 "äbcdefgh\n")))`, work: `[(count (clojure.string/split-lines text)) (count (clojure.string/split-lines (clojure.string/replace text "\n" " ")))]`},
	{name: "quoted texts", setup: text10MB, work: `[(clojure.string/re-quote-replacement text) (java.util.regex.Pattern/quote text)]`},
	{name: "equal but for case", setup: wide10MB, work: `(.equalsIgnoreCase text (clojure.string/upper-case text))`},
	{name: "compare of wide strings", setup: wide10MB, work: `[(compare text (str text "x")) (compare (subs text 1) text) (= text (str text "")) (.hashCode (str text "y"))]`},
	{name: "starts, ends", setup: text10MB, work: `[(clojure.string/starts-with? (str text "x") text) (clojure.string/ends-with? (str "x" text) text)]`},
	{name: "wide string formatted", setup: wide10MB, work: `(format "%S|%.1000000s|%1000000s" text text text)`},
	{name: "format of many directives", setup: `(def f (apply str (repeat 500000 "%% ")))`, work: `(format f)`},
	{name: "characters of a wide string", setup: wide10MB, work: `[(frequencies text) (count (seq text)) (.getBytes text)]`},
	{name: "Base64, digests and URLs of a wide string", setup: wide10MB, work: `(let [b (.getBytes text) s (.encodeToString (java.util.Base64/getEncoder) b)] [(.decode (java.util.Base64/getDecoder) s) (.digest (java.security.MessageDigest/getInstance "SHA-256") b) (java.net.URLDecoder/decode (java.net.URLEncoder/encode text "UTF-8") "UTF-8") (String. (.getBytes text "UTF-16") "UTF-16")])`},
	{name: "JSON of a wide string", setup: wide10MB, work: `(json/parse (json/write text))`},
	{name: "JSON of a long array", setup: `(def s (str "[" (clojure.string/join "," (range 2000000)) "]"))`, work: `(json/parse s)`},
	{name: "JSON of digits", setup: `(def s (apply str (repeat 10000000 "1")))`, work: `(try (json/parse s) (catch Exception e nil))`},
	{name: "numbers of long strings", setup: `(def s (apply str (repeat 200000 "1")))`, work: `[(parse-long s) (parse-double s) (parse-double (str s ".5"))]`},
	{name: "printed with-out-str", setup: large, work: `(count (with-out-str (pr xs)))`},
	{name: "marks of many objects", work: `(def keep (mapv (fn [i] [i]) (range 3000000))) (dotimes [i 2000000] (vector i i i i i i i i))`},
	{name: "marks of large blocks", work: `(def keep (into-array (map vector (range 3000000)))) (dotimes [i 2000000] (vector i i i i i i i i))`},
	{name: "deep recursion", charge: 32 << 20, work: `(dotimes [_ 5] ((fn f [n a b c d e g h] (if (zero? n) 0 (+ 1 (f (dec n) h a b c d e g) a b c d e g h))) 90000 2 3 4 5 6 7 8))`},
	{name: "results of workers", work: `(count (pmap (fn [i] (vec (range (* i 300000)))) (range 8)))`},
	{name: "walk of nested vectors", setup: large, work: `(clojure.walk/postwalk identity (mapv vector (subvec xs 0 200000)))`},
	{name: "reduce-kv, update, get-in", setup: large, work: `[(reduce-kv + 0 xs) (count (rseq xs)) (.indexOf xs -1)]`},
	{name: "partition-all by millions", setup: large, work: `(count (partition-all 3000000 (map inc xs)))`},
	{name: "cycle and nthrest", setup: large, work: `(first (cycle xs))`},
	{name: "macro of a large form", work: `(eval (list 'quote (vec (range 20000))))`},
	{name: "numbers converted in", data: numbers},
	{name: "objects converted in", data: objects},
	{name: "one object converted in", data: keys},
	{name: "structs converted in", data: structs},
}

// clock holds the times at which the work of a run began and ended.
type clock struct{ began, ended chan time.Time }

func newClock() clock { return clock{make(chan time.Time, 1), make(chan time.Time, 1)} }

func (c clock) output(text string) {
	switch text {
	case "%begin":
		c.began <- time.Now()
	case "%end":
		c.ended <- time.Now()
	}
}

// run runs the work and returns the time at which the run had ended.
func (l long) run(ctx context.Context, c clock) (time.Time, error) {
	source, in := l.setup+` (print "%begin") `+l.work+` (print "%end") nil`, ptc.RunOptions{Seed: 1, Output: func(p ptc.Print) { c.output(p.Text) }}
	if l.data != nil {
		source, in.Data = `data/x (print "%end") nil`, l.data()
	}
	prog, err := ptc.Compile(context.Background(), "long", source, ptc.Options{Limits: ptc.Limits{
		Memory: 1 << 30, Steps: 1 << 40, Timeout: 10 * time.Minute, ResultBytes: 1 << 30, OutputBytes: 1 << 30}})
	if err != nil {
		return time.Now(), err
	}
	if l.data != nil {
		c.output("%begin")
	}
	_, err = prog.Run(ctx, in)
	return time.Now(), err
}

// cancelAt cancels the work after a time and returns how long the run continued. ok is false if it
// ended before.
func (l long) cancelAt(t *testing.T, after time.Duration) (late time.Duration, ok bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := newClock()
	done := make(chan time.Time, 1)
	var runErr error
	go func() {
		at, err := l.run(ctx, c)
		runErr = err
		done <- at
	}()
	select {
	case <-c.began:
	case at := <-done:
		done <- at
	}
	time.Sleep(after)
	cancelled := time.Now()
	cancel()
	select {
	case at := <-done:
		var e *ptc.Error
		if runErr == nil {
			return 0, false
		}
		if !errors.As(runErr, &e) || e.Code != diag.Cancelled {
			t.Errorf("%s: got %v, want an error of code cancelled", l.name, runErr)
		}
		return at.Sub(cancelled), true
	case <-time.After(hang):
		t.Fatalf("%s: still running %v after it was cancelled", l.name, hang)
	}
	return 0, false
}

func TestCancelAnywhere(t *testing.T) {
	testlevel.System(t)
	if testing.Short() {
		t.Skip("long work takes long")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var table strings.Builder
	for i, l := range longs {
		if *moments == 0 && i%sampled != 0 {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			within := early
			if *moments > 0 {
				within = l.whole(t)
			}
			var lates []time.Duration
			for range max(*moments, 1) {
				if late, ok := l.cancelAt(t, time.Duration(rng.Float64()*float64(within))); ok {
					lates = append(lates, late)
				}
			}
			slices.Sort(lates)
			row := fmt.Sprintf("%-30s %10v", l.name, within.Round(time.Millisecond))
			if n := len(lates); n > 0 {
				row += fmt.Sprintf(" %10v %10v", lates[n/2].Round(10*time.Microsecond), lates[n-1].Round(10*time.Microsecond))
			}
			table.WriteString("\n" + row)
		})
	}
	t.Logf("%-30s %10s %10s %10s%s", "work", "within", "median", "worst", table.String())
}

// whole returns the duration of the work without cancellation.
func (l long) whole(t *testing.T) time.Duration {
	c := newClock()
	if _, err := l.run(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	return (<-c.ended).Sub(<-c.began)
}
