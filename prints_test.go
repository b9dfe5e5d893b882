// This file tests when, and in which order, the output receives the prints of elements.

package ptc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// printing is a run whose elements wait for prints to reach the output.
type printing struct {
	t      *testing.T
	mu     sync.Mutex
	gates  map[string]chan struct{} // that are open when they are closed
	prints []string                 // "element: text", joined while the element is the same
	last   string
	calls  atomic.Int32 // of the output, at this moment
	limits Limits
	ctx    context.Context
	slow   func(element, text string)
}

func newPrinting(t *testing.T, workers int) *printing {
	return &printing{t: t, gates: map[string]chan struct{}{}, ctx: t.Context(), last: "none",
		limits: Limits{Workers: workers, Timeout: time.Minute}}
}

func (p *printing) gate(name string) chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gates[name] == nil {
		p.gates[name] = make(chan struct{})
	}
	return p.gates[name]
}

func (p *printing) open(name string) {
	g := p.gate(name)
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-g:
	default:
		close(g)
	}
}

// output opens the gate "seen TEXT" for each line.
func (p *printing) output(element, text string) {
	if p.calls.Add(1) != 1 {
		p.t.Error("the output is called twice at once")
	}
	defer p.calls.Add(-1)
	p.mu.Lock()
	if element != p.last {
		p.prints = append(p.prints, element+": ")
	}
	p.last = element
	p.prints[len(p.prints)-1] += strings.ReplaceAll(text, "\n", " ")
	p.mu.Unlock()
	for line := range strings.Lines(text) {
		p.open("seen " + strings.TrimSpace(line))
	}
	if p.slow != nil {
		p.slow(element, text)
	}
}

// run runs a program that may call tool/await and tool/open with the name of a gate.
func (p *printing) run(source string) (*Result, error) {
	p.t.Helper()
	type name struct {
		Gate string `json:"gate"`
	}
	await := tool.New("await", "Waits.", func(ctx context.Context, in name) (bool, error) {
		select {
		case <-p.gate(in.Gate):
			return true, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	})
	open := tool.New("open", "Opens.", func(_ context.Context, in name) (bool, error) {
		p.open(in.Gate)
		return true, nil
	})
	tools, err := tool.NewRegistry(await, open)
	require.NoError(p.t, err)
	return p.with(source, Options{Tools: tools, Limits: p.limits})
}

func (p *printing) with(source string, opts Options) (*Result, error) {
	p.t.Helper()
	prog, err := Compile(context.Background(), "prints", source, opts)
	require.NoError(p.t, err)
	output := func(printed Print) { p.output(printed.Element, printed.Text) }
	res, err := prog.Run(p.ctx, RunOptions{Seed: 1, Output: output})
	p.slow = func(string, string) { p.t.Error("the output is called after the run") }
	return res, err
}

// onEach runs a test under several numbers of processors and workers.
func onEach(t *testing.T, test func(t *testing.T, workers int)) {
	for _, procs := range []int{1, 2, 8} {
		for _, workers := range []int{1, 3, 8} {
			t.Run(fmt.Sprintf("%d processors, %d workers", procs, workers), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				test(t, workers)
			})
		}
	}
}

func TestPrintsOfTheLowestElementArriveAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, workers int) {
		p := newPrinting(t, workers)
		_, err := p.run(`(println "first") (tool/await {:gate "seen first"})
			(pmap (fn [i] (doseq [c ["a" "b"]] (println i c) (tool/await {:gate (str "seen " i " " c)}))) (range 4))
			(println "last")`)
		require.NoError(t, err)
		want := []string{": first ", "0.1.0: 0 a 0 b ", "0.1.1: 1 a 1 b ", "0.1.2: 2 a 2 b ", "0.1.3: 3 a 3 b ", ": last "}
		assert.Equal(t, want, p.prints)
	})
}

// Element 0 ends when the others have printed; then those of 1, which has ended, and of 2, which
// runs on, arrive. Those of 3 wait for 2.
func TestPrintsArriveWhenAllBelowHaveEnded(t *testing.T) {
	onEach(t, func(t *testing.T, workers int) {
		if workers < 3 {
			return // element 0 waits for others
		}
		p := newPrinting(t, 8)
		_, err := p.run(`(pmap (fn [i] (case i
			0 (do (println 0) (tool/await {:gate "1"}) (tool/await {:gate "2"}) (tool/await {:gate "3"}))
			2 (do (println 2) (tool/open {:gate "2"}) (tool/await {:gate "seen 2"})
				(println :two) (tool/await {:gate "seen :two"}))
			(do (println i) (tool/open {:gate (str i)})))) (range 4))`)
		require.NoError(t, err)
		assert.Equal(t, []string{"0.1.0: 0 ", "0.1.1: 1 ", "0.1.2: 2 :two ", "0.1.3: 3 "}, p.prints)
	})
}

func TestPrintsOfNestedOperationsArriveAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, workers int) {
		p := newPrinting(t, workers)
		_, err := p.run(`(defn say [path word] (println path word) (tool/await {:gate (str "seen " path " " word)}))
			(defn deep [path n]
				(say path "in")
				(if (pos? n) (dorun (pmap (fn [k] (deep (str path k) (dec n))) (range 2))))
				(say path "out"))
			(try (pmap (fn [i] (deep (str "e" i) 1)) (range 2)) (catch Exception e (println (ex-message e))))`)
		require.NoError(t, err)
		if workers == 1 {
			assert.Equal(t, "0.1.0: e0 in ", p.prints[0])
			return // nested deeper than there are workers
		}
		assert.Equal(t, []string{
			"0.1.0: e0 in ", "0.1.0.1.0: e00 in e00 out ", "0.1.0.1.1: e01 in e01 out ", "0.1.0: e0 out ",
			"0.1.1: e1 in ", "0.1.1.1.0: e10 in e10 out ", "0.1.1.1.1: e11 in e11 out ", "0.1.1: e1 out "}, p.prints)
	})
}

// The elements of element 1 have printed before element 0 ends: each is still told by its path.
func TestPrintsThatWaitKeepTheirElement(t *testing.T) {
	p := newPrinting(t, 8)
	_, err := p.run(`(pmap (fn [i] (if (= i 0) (tool/await {:gate "go"})
			(do (println "a") (dorun (pmap (fn [k] (println k) (if (= k 1) (dorun (pmap println [:x :y])))) (range 3)))
				(println "b") (dorun (pmap println [7])) (dorun (pmap println [8])) (if (= i 2) (tool/open {:gate "go"})))))
		(range 3))`)
	require.NoError(t, err)
	var want []string
	for i := 1; i < 3; i++ {
		e := fmt.Sprintf("0.1.%d", i)
		want = append(want, e+": a ", e+".1.0: 0 ", e+".1.1: 1 ", e+".1.1.1.0: :x ", e+".1.1.1.1: :y ",
			e+".1.2: 2 ", e+": b ", e+".2.0: 7 ", e+".3.0: 8 ")
	}
	assert.Equal(t, want, p.prints)
}

func TestPrintsOfCapturedOperations(t *testing.T) {
	p := newPrinting(t, 3)
	_, err := p.run(`(defn both [i] (println i) (dorun (pmap println [:in])))
		(let [s (with-out-str (dorun (pmap both (range 3))))] (println (count s)))
		(pmap (fn [i] (let [s (with-out-str (dorun (pmap println [1 2])))] (print s))) (range 2))`)
	require.NoError(t, err)
	assert.Equal(t, []string{": 18 ", "0.2.0: 1 2 ", "0.2.1: 1 2 "}, p.prints)
}

// The elements above the one that fails have printed before it does.
func TestPrintsAboveAFailureDoNotArrive(t *testing.T) {
	onEach(t, func(t *testing.T, workers int) {
		p := newPrinting(t, workers)
		wait := ""
		if workers == 8 {
			wait = `(tool/await {:gate "3"}) (tool/await {:gate "4"})`
		}
		res, err := p.run(`(try (pmap (fn [i]
				(println i) (when (= i 2) ` + wait + ` (throw (ex-info "two" {}))) (tool/open {:gate (str i)})) (range 5))
			(catch Exception e (println (ex-message e))))`)
		require.NoError(t, err)
		assert.Equal(t, []string{"0.1.0: 0 ", "0.1.1: 1 ", "0.1.2: 2 ", ": two "}, p.prints)
		assert.Equal(t, 10, res.Usage.Printed)
	})
}

// Only the elements that are among the results have printed.
func TestPrintsOfAChoice(t *testing.T) {
	p := newPrinting(t, 8)
	_, err := p.run(`(pquorum 2 (fn [i] (println i) (if (odd? i) (tool/await {:gate "never"}) (tool/await {:gate "go"}))
		i) (do (tool/open {:gate "go"}) (range 4)))`)
	require.NoError(t, err)
	assert.Equal(t, []string{"0.1.0: 0 ", "0.1.2: 2 "}, p.prints)
}

// endless are elements that have printed, and wait: one above the lowest, those of a nested operation,
// and in a scope that has not ended.
const endless = `(println :begun) (with-limits {:ms 100000} (pmap (fn [i] (println i)
	(if (= i 1) (pmap (fn [k] (println :in k) (tool/open {:gate (str "in" k)}) %s) (range 2))
		(do (if (= i 3) (println :more)) (tool/open {:gate (str i)}) (if (< i 3) (do %[1]s))))) (range 4)))`

var endlessPrints = []string{": :begun ", "0.1.0: 0 ", "0.1.1: 1 ", "0.1.1.1.0: :in 0 ", "0.1.1.1.1: :in 1 ",
	"0.1.2: 2 ", "0.1.3: 3 :more "}

func (p *printing) awaitAll() {
	for _, name := range []string{"0", "2", "3", "in0", "in1"} {
		<-p.gate(name)
	}
}

func TestPrintsArriveOnCancel(t *testing.T) {
	for _, scoped := range []bool{true, false} {
		source := fmt.Sprintf(endless, `(tool/await {:gate "never"})`)
		if !scoped {
			source = strings.Replace(source, "with-limits {:ms 100000}", "do", 1)
		}
		p := newPrinting(t, 8)
		ctx, cancel := context.WithCancel(t.Context())
		p.ctx = ctx
		go func() {
			p.awaitAll()
			cancel()
		}()
		_, err := p.run(source)
		require.ErrorIs(t, err, &Error{Code: diag.Cancelled})
		assert.Equal(t, endlessPrints, p.prints)
	}
}

func TestPrintsArriveOnTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPrinting(t, 8)
		p.limits.Timeout = time.Second
		_, err := p.run(fmt.Sprintf(endless, `(tool/await {:gate "never"})`))
		require.ErrorIs(t, err, &Error{Code: diag.Timeout})
		assert.Equal(t, endlessPrints, p.prints)
	})
}

func TestPrintsArriveWhenABoundEndsTheRun(t *testing.T) {
	for name, l := range map[diag.Code]Limits{diag.StepsExceeded: {Steps: 100000}, diag.CallsExceeded: {Calls: 200}} {
		p := newPrinting(t, 8)
		p.limits.Steps, p.limits.Calls = l.Steps, l.Calls
		_, err := p.run(fmt.Sprintf(endless, `(doseq [k ["0" "2" "3" "in0" "in1"]] (tool/await {:gate k}))
			(loop [] (if (= i 0) (tool/open {:gate "more"})) (recur))`))
		require.ErrorIs(t, err, &Error{Code: name})
		assert.Equal(t, endlessPrints, p.prints)
	}
}

// A scope that ends an operation drops the prints of the operation, because a replay can't know them.
func TestPrintsOfAScopeThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPrinting(t, 8)
		_, err := p.run(`(println (try (with-limits {:ms 100}
			(println :body) (pmap (fn [i] (println i) (tool/await {:gate "never"})) (range 3))) (catch Exception e :late)))
		(with-limits {:ms 100000} (pmap println (range 2)))`)
		require.NoError(t, err)
		assert.Equal(t, []string{": :body :late ", "0.2.0: 0 ", "0.2.1: 1 "}, p.prints)
	})
}

// The output does not return before element 1 has got its result, on one processor.
func TestASlowOutputHoldsUpNoOthers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	p := newPrinting(t, 3)
	p.slow = func(_, text string) {
		if text == "0\n" {
			<-p.gate("2")
		}
	}
	_, err := p.run(`(pmap (fn [i] (if (< i 2) (println i)) (if (= i 2) (tool/open {:gate "2"})) i) (range 3))`)
	require.NoError(t, err)
	assert.Equal(t, []string{"0.1.0: 0 ", "0.1.1: 1 "}, p.prints)
}

func TestAPanicOfTheOutputEndsTheRun(t *testing.T) {
	p := newPrinting(t, 3)
	p.slow = func(_, text string) {
		if text == "1\n" {
			panic("no more")
		}
	}
	_, err := p.run(`(pmap println (range 3))`)
	require.ErrorIs(t, err, &Error{Code: diag.HostFailed})
	require.ErrorContains(t, err, "Output panicked: no more")
}

func TestAPanicOfTheOutputAtTheNotice(t *testing.T) {
	prog, err := Compile(t.Context(), "p", `(print "abc")`, Options{Limits: Limits{OutputBytes: 2}})
	require.NoError(t, err)
	_, err = prog.Run(t.Context(), RunOptions{Output: func(p Print) {
		if strings.Contains(p.Text, "printing cut") {
			panic("no more")
		}
	}})
	require.ErrorIs(t, err, &Error{Code: diag.HostFailed})
	require.ErrorContains(t, err, "Output panicked: no more")
}

// randomPrints is an expression with nested operations that print, wait and fail.
func randomPrints(rng *rand.Rand, depth int) string {
	var b strings.Builder
	b.WriteString("(do ")
	for range 1 + rng.IntN(3) {
		switch n := rng.IntN(10); {
		case n < 3:
			fmt.Fprintf(&b, `(println %d "äé" i) `, rng.IntN(100))
		case n == 3:
			fmt.Fprintf(&b, `(Thread/sleep %d) `, rng.IntN(2))
		case n == 4:
			fmt.Fprintf(&b, `(reduce + (range %d)) `, rng.IntN(20000))
		case n == 5:
			fmt.Fprintf(&b, `(if (= i %d) (throw (ex-info "thrown" {}))) `, rng.IntN(6))
		case n == 6 && depth > 0:
			fmt.Fprintf(&b, `(print (with-out-str %s)) `, randomPrints(rng, depth-1))
		case n == 7 && depth > 0:
			fmt.Fprintf(&b, `(with-limits {:ms 100000} %s) `, randomPrints(rng, depth-1))
		case depth > 0:
			op := []string{"pmap", "pmap", "psettle"}[rng.IntN(3)]
			fmt.Fprintf(&b, `(try (dorun (%s (fn [i] %s) (range %d))) (catch Exception e (println (ex-message e)))) `,
				op, randomPrints(rng, depth-1), 1+rng.IntN(6))
		}
	}
	b.WriteString("i)")
	return b.String()
}

// TestPrintsAreTheSameEachTime runs random programs on one worker and on several, with limits on the
// output: it receives the same bytes of the same elements.
func TestPrintsAreTheSameEachTime(t *testing.T) {
	seeds := 150
	if testlevel.Small() {
		seeds = 50
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		source := `(let [i 0] ` + randomPrints(rng, 3) + `)`
		limit := 1 << 20
		if seed%3 == 0 {
			limit = 1 + rng.IntN(200)
		}
		want := ""
		for _, workers := range []int{8, 8, 32, 4} {
			got := randomPrintsOn(t, source, limit, workers)
			if want == "" {
				want = got
			}
			require.Equal(t, want, got, "%d: %s", seed, source)
		}
		if !strings.Contains(source, "psettle") {
			inOrder := randomPrintsOn(t, strings.ReplaceAll(source, "pmap", "mapv"), limit, 1)
			require.Equal(t, onlyText(inOrder), onlyText(want), "%d: %s", seed, source)
		}
	}
}

// inElements finds the prefix that names an element.
var inElements = regexp.MustCompile(`(?m)^[.0-9]*: `)

// onlyText returns the printed text without the names of the elements.
func onlyText(prints string) string {
	return strings.ReplaceAll(inElements.ReplaceAllString(prints, ""), "\n", "")
}

// randomPrintsOn returns the output of a program, with a line for each change of the element.
func randomPrintsOn(t *testing.T, source string, limit, workers int) string {
	p := newPrinting(t, workers)
	_, err := p.with(source, Options{Limits: Limits{Workers: workers, OutputBytes: limit, Timeout: time.Minute}})
	var e *Error
	require.True(t, err == nil || errors.As(err, &e) && e.Code == diag.Thrown, "%v", err)
	text := strings.Join(p.prints, "\n")
	kept, _, _ := strings.Cut(text, "[printing cut")
	require.LessOrEqual(t, len(onlyText(kept)), limit+1) // the notice begins a line
	return text + fmt.Sprint(err)
}
