// This file compares programs that change vectors in place with the same programs without.

package ptc

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/internal/testlevel"
)

var ownedPrograms = flag.Int("owned", 0, "how many programs TestOwnedKeepsMeaning compares; 0 for a sample")

// ownedWriter writes random programs on vectors: loops, second names, closures, exceptions, lazy sequences, vectors in
// vectors. Every vector has at least size elements.
type ownedWriter struct {
	r    *rand.Rand
	size int
	vecs []string // names in scope
	ints []string
	n    int // names made
}

func (w *ownedWriter) name(prefix string) string {
	w.n++
	return fmt.Sprint(prefix, w.n)
}

// one returns one of some names or forms, one of the last two in most cases: those are the ones that loops change.
func (w *ownedWriter) one(of []string) string {
	if w.r.IntN(3) > 0 {
		return of[max(len(of)-1-w.r.IntN(2), 0)]
	}
	return of[w.r.IntN(len(of))]
}

// within runs f with more names in scope.
func (w *ownedWriter) within(vecs, ints []string, f func() string) string {
	v, i := w.vecs, w.ints
	defer func() { w.vecs, w.ints = v, i }()
	w.vecs, w.ints = append(v[:len(v):len(v)], vecs...), append(i[:len(i):len(i)], ints...)
	return f()
}

func (w *ownedWriter) index(depth int) string {
	if w.r.IntN(40) == 0 {
		return "(mod " + w.number(depth-1) + " 3000)" // may be out of range
	}
	return fmt.Sprintf("(mod %s %d)", w.number(depth-1), w.size)
}

func (w *ownedWriter) number(depth int) string {
	if depth <= 0 {
		if w.r.IntN(2) == 0 {
			return fmt.Sprint(w.r.IntN(100))
		}
		return w.one(w.ints)
	}
	v := w.one(w.vecs)
	switch w.r.IntN(9) {
	case 0:
		return "(num (nth " + v + " " + w.index(depth) + "))"
	case 1:
		return "(num (" + v + " " + w.index(depth) + "))"
	case 2:
		return "(num (get " + v + " " + w.index(depth) + "))"
	case 3:
		return "(count " + w.vector(depth-1) + ")"
	case 4:
		return "(+ " + w.number(depth-1) + " " + w.number(depth-1) + ")"
	case 5:
		return "(num (first " + w.vector(depth-1) + "))"
	case 6:
		return "(if (= " + v + " " + w.vector(depth-1) + ") 1 2)"
	case 7:
		return "(reduce + (map num (take 3 " + v + ")))"
	}
	return w.one(w.ints)
}

// literal returns a vector of size numbers that is a literal where the size is short.
func (w *ownedWriter) literal(depth int) string {
	if w.size > 9 {
		return w.one(w.vecs)
	}
	items := make([]string, w.size)
	for i := range items {
		items[i] = w.number(depth - w.r.IntN(3))
		if w.r.IntN(12) == 0 {
			items[i] = w.one(w.vecs)
		}
	}
	return "«" + strings.Join(items, " ") + "»"
}

// literals returns a form that makes vectors in each turn of a loop and takes those of the turn before apart.
func (w *ownedWriter) literals(depth int) string {
	a, b, c, d := w.name("a"), w.name("b"), w.name("c"), w.name("d")
	p, q, i := w.name("p"), w.name("q"), w.name("i")
	pair := func() string {
		items := []string{w.number(depth - 1), w.number(depth - 2)}
		if w.r.IntN(6) == 0 {
			items[w.r.IntN(2)] = w.one([]string{w.one(w.vecs), p, "(keep! " + p + ")", "(map num " + p + ")"})
		}
		return "«" + strings.Join(items, " ") + "»"
	}
	num := func(names ...string) []string {
		for i, n := range names {
			names[i] = "(num " + n + ")"
		}
		return names
	}
	turns := 1 + w.r.IntN(6)
	switch w.r.IntN(4) {
	case 0:
		return w.within([]string{"(grown " + p + ")"}, num(a, b, p), func() string {
			return fmt.Sprintf("(let [[%s %s :as %s] (reduce (fn [[%s %s :as %s] %s] %s) «1 2» (range %d))] %s)",
				a, b, p, a, b, p, i, pair(), turns, w.vector(depth-1))
		})
	case 1:
		return w.within([]string{"(grown " + q + ")"}, append(num(a, b, c, d), i), func() string {
			return fmt.Sprintf("(loop [[%s %s :as %s] «3 4» [%s %s :as %s] «5 6» %s 0] (if (< %s %d) (recur %s %s (inc %s)) %s))",
				a, b, p, c, d, q, i, i, turns, pair(), pair(), i, w.vector(depth-1))
		})
	case 2: // they change places, and one may be kept
		return w.within([]string{"(grown " + p + ")"}, append(num(a, b, c), i), func() string {
			next := []string{p, q, pair(), pair(), fmt.Sprintf("(if (even? %s) %s %s)", i, q, pair())}
			return fmt.Sprintf("(loop [[%s %s :as %s] «3 4» [%s :as %s] «5 6» %s 0] (if (< %s %d) (recur %s %s (inc %s)) %s))",
				a, b, p, c, q, i, i, turns, next[w.r.IntN(5)], next[w.r.IntN(5)], i, w.vector(depth-1))
		})
	}
	return w.within([]string{"(grown " + p + ")"}, append(num(a, b), i), func() string {
		return fmt.Sprintf("(loop [%s «3 4» %s 0] (let [[%s %s] %s] (if (< %s %d) (recur (try %s (catch Exception e %s)) (inc %s)) %s)))",
			p, i, a, b, p, i, turns, pair(), pair(), i, w.vector(depth-1))
	})
}

func (w *ownedWriter) vector(depth int) string {
	if depth <= 0 {
		return w.one(w.vecs)
	}
	v, i, x := w.name("v"), w.name("i"), w.name("x")
	sub := func() string { return w.vector(depth - 1) }
	with := func(ints ...string) string { return w.within([]string{v}, ints, sub) }
	switch w.r.IntN(26) {
	case 22, 23:
		return w.literals(depth)
	case 24, 25:
		return w.literal(depth - 1)
	case 0:
		return "(let [" + v + " " + sub() + "] " + with() + ")"
	case 1:
		return "(let [" + v + " " + w.one(w.vecs) + "] (ASSOC " + with() + " 0 " +
			w.within([]string{v}, nil, func() string { return w.number(depth - 1) }) + "))"
	case 2:
		return "(if (even? " + w.number(depth-1) + ") " + sub() + " " + sub() + ")"
	case 3, 4, 5:
		return fmt.Sprintf("(loop [%s %s %s 0] (if (< %s %d) (recur %s (inc %s)) %s))",
			v, sub(), i, i, 1+w.r.IntN(5), with(i), i, with(i))
	case 6, 7:
		return fmt.Sprintf("(reduce (fn [%s %s] %s) %s (range %d))", v, i, with(i), sub(), 1+w.r.IntN(5))
	case 8:
		return fmt.Sprintf("(reduce (fn [%s %s] %s) %s (filter odd? (map inc (range %d))))", v, i, with(i), sub(), 1+w.r.IntN(9))
	case 9, 10:
		return "(try " + sub() + " (catch Exception e " + sub() + "))"
	case 11:
		return fmt.Sprintf("(let [%s %s] (fail (mod %s 4)) %s)", v, sub(), w.number(depth-1), with())
	case 12, 13:
		return "(keep! " + sub() + ")"
	case 14:
		return "((fn [" + v + "] " + with() + ") " + sub() + ")"
	case 15:
		return fmt.Sprintf("(let [%s %s] (keep! (fn [] %s)) %s)", v, sub(), with(), with())
	case 16:
		return fmt.Sprintf("(let [%s %s] (keep! (map (fn [%s] %s) (range 2))) %s)", v, sub(), x, with(x), with())
	case 17:
		return w.one([]string{"(conj " + sub() + " 5)", "(with-meta " + sub() + " {:a 1})", "(pop (conj " + sub() + " 1))",
			"(subvec (into [0] " + sub() + ") 1)"})
	default:
		val := w.number(depth - 1)
		if w.r.IntN(10) == 0 {
			val = w.one(w.vecs)
		}
		of := w.one(w.vecs)
		if w.r.IntN(3) == 0 {
			of = sub()
		}
		return "(ASSOC " + of + " " + w.index(depth-1) + " " + val + ")"
	}
}

// program writes a program. assoc is the name by which it calls assoc.
func (w *ownedWriter) program() string {
	w.vecs, w.ints = []string{"start", "v"}, []string{"i"}
	body := w.vector(5)
	return fmt.Sprintf(`
(def kept (atom []))
(defn num [x] (if (number? x) x (count x)))
(defn fail [n] (when (= n 3) (throw (ex-info "three" {}))))
(defn keep! [x] (swap! kept conj [x (if (vector? x) (hash x) 0)]) x)
(def start (vec (range %d)))
(defn grown [v] (into v (range %d)))
(defn step [v i] %s)
(def result (try (loop [v start i 0] (if (< i 3) (recur (step v i) (inc i)) v)) (catch Exception e (ex-message e))))
[result
 (mapv (fn [[x was]] (if (vector? x) (= was (hash (into [] x))) 0)) @kept)
 (mapv (fn [[x _]] (try (hash (cond (fn? x) (x) (vector? x) (into [] x) :else (vec x))) (catch Exception e (ex-message e)))) @kept)
 (= start (vec (range %d)))]`, w.size, w.size, body, w.size)
}

// TestOwnedKeepsMeaning: no program can tell whether its vectors are changed in place. The reference
// program calls assoc by another name, and vector instead of literals; such vectors are never changed in
// place.
func TestOwnedKeepsMeaning(t *testing.T) {
	sizes := []int{1, 5, 8, 9, 32, 33, 70, 1100}
	failed, long := 0, 0
	programs := cmp.Or(*ownedPrograms, testlevel.Size(120, 300))
	for seed := range programs {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		w := &ownedWriter{r: r, size: sizes[r.IntN(len(sizes))]}
		source := w.program()
		in := fusionInput{steps: 300_000}
		got := runFusion(strings.NewReplacer("ASSOC", "assoc", "«", "[", "»", "]").Replace(source), false, in)
		want := runFusion("(def plain assoc) (def literal vector)"+
			strings.NewReplacer("ASSOC", "plain", "«", "(literal ", "»", ")").Replace(source), false, in)
		if strings.Contains(got.err, "steps") || strings.Contains(want.err, "steps") {
			long++
			continue
		}
		if want.err != "" || got.value != want.value || got.prints != want.prints || got.err != want.err {
			t.Errorf("seed %d\n%s\n got %s %s\nwant %s %s", seed, source, got.value, got.err, want.value, want.err)
			if failed++; failed > 3 {
				t.FailNow()
			}
		}
	}
	if long > programs/4 {
		t.Errorf("%d of %d programs take too many steps to be compared", long, programs)
	}
}
