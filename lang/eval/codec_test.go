// This file encodes and decodes the values of the expressions of the oracle.

package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

var codecEvery = flag.Int("codec.every", 16, "encode the values of one of so many expressions of the oracle")

// codecPrograms are programs whose values have shapes that are rare in the oracle.
var codecPrograms = []string{
	`(with-meta [1 2] {:a 1})`, `#"a+b"`, `(re-pattern "(?i)a")`, `#uuid "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"`,
	`#inst "2020-01-01T00:00:00.123Z"`, `(zipmap (range 100) (range))`, `(array-map :z 1 :a 2 nil 3)`,
	`(into {} (map (fn [i] [(keyword (str "k" i)) i]) (range 5)))`, `(sorted-map 3 :c 1 :a)`, `(sorted-set 5 2 9)`,
	`#{nil 1 :a "b" \c}`, `(dissoc (zipmap (range 40) (range)) 3 4 5 6)`, `(dissoc (hash-map 1 2) 1)`,
	`(hash-map "Aa" 1 "BB" 2 "AaAa" 3 "BBBB" 4 "AaBB" 5 "BBAa" 6 :x 1 :y 2 :z 3)`, `(range 3 50 4)`,
	`(next (range 100))`, `(map inc (range 100))`, `(doall (map inc (range 100)))`, `(rest [1 2 3])`, `(rseq [1 2 3])`,
	`(seq "héllo")`, `(keys {:a 1})`, `(next (vals (sorted-map 1 2 3 4)))`, `(rseq (sorted-map 1 2 3 4))`,
	`(cons 1 '(2 3))`, `(conj '(2 3) 1)`, `(rest '(1 2))`, `()`, `(with-meta () {:x 1})`, `(with-meta [] {:x 1})`,
	`(cons 1 (with-meta (list 2 3) {:m 1}))`, `(conj (with-meta (list 2 3) {:m 1}) 1)`, `1N`, `(biginteger 7)`, `1/3`,
	`1.50M`, `1e300`, `##NaN`, `-0.0`, `\newline`, `'a/b`, `:a.b/c`, `(first {:a 1})`, `(apply array-map (range 100))`,
	`(conj clojure.lang.PersistentQueue/EMPTY 1 2 3)`, `(pop (conj clojure.lang.PersistentQueue/EMPTY 1 2 3))`,
	`clojure.lang.PersistentQueue/EMPTY`, `(tagged-literal 'x 1)`, `(reduced 1)`, `(vec (range 5000))`,
	`(subvec (vec (range 100)) 40 80)`, `(next (subvec (vec (range 100)) 5))`, `(pop (subvec (vec (range 70)) 3 40))`,
	`(into #{} (map str (range 200)))`, `(frequencies "hello world")`, `(group-by odd? (range 20))`,
	`(sort-by - [3 1 2])`, `(list 1 (lazy-seq [2]))`, `(lazy-seq nil)`, `(repeat 3 :x)`, `(interleave [1 2] [3 4])`,
	`(map (fn [i] {:id i :name (str i)}) (range 50))`, `(let [r #"x"] [r r #"x" {r 1}])`,
	`(do (defrecord P [x y]) (assoc (->P 1 2) :z 3))`, `(do (defrecord P [x y]) (with-meta (->P 1 2) {:k 1}))`,
	`(do (defrecord P [x]) [(->P 1) (->P {:a (->P 2)})])`, `(ex-info "x" {:a 1} (ex-info "cause" {}))`,
	`(try (/ 1 0) (catch Throwable e e))`, `(psettle (fn [x] (/ 1 x)) [0 1])`, `'(if (a b) [c {:d #{e}}])`,
}

// refusedPrograms are programs whose values are not data, with the message of the refusal.
var refusedPrograms = []struct{ source, want string }{
	{`[1 {:a (fn [])}]`, "got a function at [1 :a], want plain data"},
	{`{"k" [:b (atom 1)]}`, `got a atom at ["k" 1], want plain data`},
	{`(list 1 inc)`, "got a function at [1]"},
	{`#{#'inc}`, "got a var at [a member]"},
	{`(with-meta [] {:f inc})`, "got a function at [metadata :f]"},
	{`(sorted-map-by > 1 2)`, "got a sorted map with its own comparator"},
	{`(sorted-set-by > 1 2)`, "got a sorted set with its own comparator"},
	{`(transient [])`, "got a transient vector"},
	{`(ex-info "x" {:a (volatile! 1)})`, "got a volatile at [ex-data :a]"},
	{`(do (defmulti f class) f)`, "got a multimethod"},
	{`(class 1)`, "got a class"},
	{`(to-array [1])`, "got a array"},
	{`(do (deftype T [a]) (->T 1))`, "got a object"},
	{`(delay 1)`, "got a delay"},
	{`[(java.time.LocalDate/of 2024 1 1)]`, "got a java.time.LocalDate at [0]"},
	{`(java.util.ArrayList.)`, "got a java.util.ArrayList"},
	{`(the-ns 'user)`, "got a namespace"},
}

// codecValue runs a program and calls check with its value. It reports whether the program has one.
func codecValue(t *testing.T, m *Evaluation, source string, check func(task *value.Task, v value.Value)) bool {
	t.Helper()
	c, ok := compileSource(source, limits.Default())
	if !ok {
		return false
	}
	var out strings.Builder
	c.begin(m, limits.Default(), &out)
	v, err := c.run(m)
	if err != nil {
		return false
	}
	if _, err := m.Import(func(task *value.Task) (value.Value, *diag.Error) {
		check(task, v)
		return value.Nil, nil
	}); err != nil {
		t.Errorf("%s: %v", source, err)
	}
	return true
}

// recordTypes collects the types of the records in v.
func recordTypes(t *value.Task, v value.Value, types map[string]*value.RecordType) {
	switch {
	case v.Is(value.Maps):
		if v.Kind() == value.KindRecord {
			types[v.AsRecord().Type.Name] = v.AsRecord().Type
		}
		for it := value.NewMapIter(v); it.Next(); {
			recordTypes(t, it.Key, types)
			recordTypes(t, it.Val, types)
		}
	case v.Is(value.Colls) && v.Kind() != value.KindRange:
		t.Each(v, func(x value.Value) bool { recordTypes(t, x, types); return true })
	case v.Kind() == value.KindException:
		recordTypes(t, v.AsException().Data, types)
	}
}

// identities reports whether v is printed with a part that equals itself only, or NaN.
func identities(text string) bool {
	for _, part := range []string{"NaN", `#"`, "#error", "Reduced"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// checkCodec encodes and decodes v, and compares. It returns the refusal, if there is one.
func checkCodec(t *testing.T, task *value.Task, source string, v value.Value) (size int, refused error) {
	t.Helper()
	types := map[string]*value.RecordType{}
	recordTypes(task, v, types)
	names := value.CodecNames{Record: func(name string) *value.RecordType { return types[name] }}
	e := value.Encoder{Task: task, Names: names}
	b, refused := e.Encode(nil, v)
	if refused != nil {
		return 0, refused
	}
	d := value.Decoder{Task: task, Names: names}
	w, err := d.Decode(b)
	if err != nil {
		t.Errorf("%s: decode: %v", source, err)
		return 0, nil
	}
	if v.Kind() != w.Kind() || value.ClassName(v) != value.ClassName(w) {
		t.Errorf("%s: kind %v, decoded %v", source, v.Kind(), w.Kind())
	}
	a, z := task.PrStr(v).AsString().S, task.PrStr(w).AsString().S
	if a != z {
		t.Errorf("%s: printed %s, decoded %s", source, a, z)
	}
	if a, z := value.Show(task, v), value.Show(task, w); a != z {
		t.Errorf("%s: shown %s, decoded %s", source, a, z)
	}
	if !identities(a) && !value.Equal(task, v, w) {
		t.Errorf("%s: not equal: %s", source, z)
	}
	if !value.Equal(task, value.MetaOf(v), value.MetaOf(w)) && !identities(task.PrStr(value.MetaOf(v)).AsString().S) {
		t.Errorf("%s: other metadata", source)
	}
	if value.Hash(task, v) != value.Hash(task, w) || value.JavaHash(task, v) != value.JavaHash(task, w) {
		t.Errorf("%s: other hash", source)
	}
	again, err := e.Encode(nil, w)
	if err != nil || !bytes.Equal(again, b) {
		t.Errorf("%s: encodes otherwise: %v\n%x\n%x", source, err, b, again)
	}
	return len(b), nil
}

// TestCodecCorpus encodes and decodes the values of the programs above and of the expressions of
// the oracle: the decoded value has the same kind, hash and metadata, is equal, prints the same, which
// includes the order of elements, and has the same encoding.
func TestCodecCorpus(t *testing.T) {
	sources := codecPrograms
	files, err := filepath.Glob("../../spec/oracle/expr/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no oracle", err)
	}
	n := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var x struct{ E, V string }
			if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
				t.Fatal(err)
			}
			if n++; x.V != "" && n%*codecEvery == 0 {
				sources = append(sources, x.E)
			}
		}
	}
	same, bytesN, refused := 0, 0, map[string]int{}
	synctest.Test(t, func(t *testing.T) { // without parallel workers, some of the sleeps last until the timeout
		m := New()
		for _, source := range sources {
			codecValue(t, m, source, func(task *value.Task, v value.Value) {
				size, err := checkCodec(t, task, source, v)
				if err != nil {
					refused[err.(*value.Refused).Kind]++
					return
				}
				same++
				bytesN += size
			})
		}
	})
	t.Logf("%d expressions: %d values, %d bytes each; refused %v", len(sources), same, bytesN/max(same, 1), refused)
	if same < len(sources)/2 {
		t.Errorf("%d of %d expressions have values that were encoded", same, len(sources))
	}
}

// TestCodecPrograms checks that all of codecPrograms have a value that is data.
func TestCodecPrograms(t *testing.T) {
	m := New()
	for _, source := range codecPrograms {
		if !codecValue(t, m, source, func(task *value.Task, v value.Value) {
			if _, err := checkCodec(t, task, source, v); err != nil {
				t.Errorf("%s: %v", source, err)
			}
		}) {
			t.Errorf("%s: no value", source)
		}
	}
}

func TestCodecRefuses(t *testing.T) {
	m := New()
	for _, p := range refusedPrograms {
		if !codecValue(t, m, p.source, func(task *value.Task, v value.Value) {
			if _, err := checkCodec(t, task, p.source, v); err == nil || !strings.Contains(err.Error(), p.want) {
				t.Errorf("%s: got %v, want %s", p.source, err, p.want)
			}
		}) {
			t.Errorf("%s: no value", p.source)
		}
	}
}
