// This file defines the tests of the forms of a Result: Go values and texts.

package ptc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

// doubled is a program's string of 2^20 characters, which takes no time to make.
const doubled = `(def text (loop [s "x" n 0] (if (< n 20) (recur (str s s) (inc n)) s)))`

// unrolled are results that share much: written out or copied they take many times the memory of the run.
var unrolled = []struct{ name, source string }{
	{"vector", `(let [v (vec (repeat 5000 {:a 1}))] (vec (repeat 20 v)))`},
	{"maps", `(let [m {:a {:b [1 2 3]} :c "text" "d" 2.5}] (vec (repeat 10000 m)))`},
	{"list", `(let [l (apply list (range 1000))] (apply list (repeat 100 l)))`},
	{"strings", strings.Replace(doubled, "20", "17", 1) + ` (vec (repeat 50 text))`},
	{"lazy", `(let [l (map str (range 500))] (map (fn [_] l) (range 200)))`},
}

func TestResultsStayWithinTheMemoryOfTheirRuns(t *testing.T) {
	testlevel.System(t)
	const runs = 16
	limits := ptc.Limits{Memory: 20 << 20 / runs, Workers: 1, WorkerMemory: 1 << 20 / 4}
	// The formula of docs/embedding.md: the live memory, and the memory that the process may need.
	live := int64(runs) * (limits.Memory + limits.WorkerMemory)
	container := 4*live + 100<<20
	base := heap(t)
	for _, c := range unrolled {
		results := make([]*ptc.Result, runs)
		values := make([]any, runs)
		var peak atomic.Int64
		var wg sync.WaitGroup
		for i := range runs {
			wg.Go(func() {
				res, err := ptc.Run(context.Background(), c.source, ptc.Options{Limits: limits})
				if !assert.NoError(t, err, c.name) {
					return
				}
				results[i] = res
				assert.NoError(t, res.WriteEDN(context.Background(), &watched{peak: &peak}), c.name)
				assert.NoError(t, res.WriteJSON(context.Background(), &watched{peak: &peak}, true), c.name)
				v, err := res.Value()
				if values[i] = v; err != nil {
					assert.ErrorIs(t, err, &ptc.Error{Code: "memory-exceeded"}, c.name)
				}
			})
		}
		wg.Wait()
		if held := heap(t) - base; held > live+runs*(256<<10)+1<<20 {
			t.Errorf("%s: %d KB live, the runs may hold %d KB", c.name, held>>10, live>>10)
		}
		if n := peak.Load() - base; n > container {
			t.Errorf("%s: the heap held %d MB, want at most %d MB", c.name, n>>20, container>>20)
		}
		runtime.KeepAlive(results)
		runtime.KeepAlive(values)
	}
}

// heap returns the bytes that live.
func heap(t *testing.T) int64 {
	t.Helper()
	for range 2 { // pools keep their contents for two collections
		runtime.GC()
	}
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// watched is a writer that notes the most that the heap holds.
type watched struct {
	peak *atomic.Int64
	n    int
}

func (w *watched) Write(p []byte) (int, error) {
	if w.n++; w.n%8 == 0 {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		held := int64(s.HeapInuse)
		for was := w.peak.Load(); held > was && !w.peak.CompareAndSwap(was, held); was = w.peak.Load() {
		}
	}
	return len(p), nil
}

func TestTextIsWrittenWhole(t *testing.T) {
	for _, source := range []string{`1`, `[]`, `(vec (range 3))`, `(apply str (repeat 32766 "é"))`, `(vec (repeat 20000 1))`,
		`(zipmap (range 20000) (map str (range)))`,
		`(mapv (fn [i] {:id i :name (str "name " i) :ratio (/ i 7) :big (* i 100000000000000000000N)}) (range 3000))`,
		`(apply str (repeat 40000 "\n"))`, `[(apply str (repeat 70000 "é\u2028")) #{[1 2]} {[1 2] 3}]`, `{(apply str (repeat 40000 "k")) 1}`,
		`{(vec (range 20000)) 1}`, `(atom (vec (range 20000)))`, `(map inc (range 20000))`, `#"a\"b"`, `inc`,
		`(ex-info "m" {:a (range 10000)} (ex-info "n" {}))`} {
		res, err := ptctest.Run(t, source, ptc.Options{})
		require.NoError(t, err)
		for name, form := range map[string]struct {
			text  func(*ptc.Result) (string, error)
			write func(*ptc.Result, io.Writer) error
		}{
			"EDN": {(*ptc.Result).EDN, func(r *ptc.Result, w io.Writer) error { return r.WriteEDN(context.Background(), w) }},
			"JSON": {func(r *ptc.Result) (string, error) { return r.JSON(true) },
				func(r *ptc.Result, w io.Writer) error { return r.WriteJSON(context.Background(), w, true) }},
		} {
			whole, err := form.text(res)
			require.NoError(t, err)
			var written bytes.Buffer
			require.NoError(t, form.write(res, &written))
			if written.String() != whole {
				t.Errorf("%.60s as %s: %d bytes written, want the %d of the string", source, name, written.Len(), len(whole))
			}
			for _, limit := range []int{len(whole), len(whole) - 1} {
				bounded, err := ptctest.Run(t, source, ptc.Options{Limits: ptc.Limits{ResultBytes: max(limit, 1)}})
				require.NoError(t, err)
				written.Reset()
				err = form.write(bounded, &written)
				if limit == len(whole) {
					require.NoError(t, err, source)
				} else if limit > 0 && (!errors.Is(err, &ptc.Error{Code: "result-too-large"}) || written.Len() > 0) {
					t.Errorf("%.60s as %s of %d bytes: got %v and %d bytes written, want result-too-large and none",
						source, name, limit, err, written.Len())
				}
			}
		}
	}
}

// Texts of 8 to 10 MB, for which memory for a few texts of 16 MB was not enough, and the numbers that have
// the longest texts.
func TestLongTexts(t *testing.T) {
	testlevel.System(t)
	for _, source := range []string{
		doubled + ` (vec (repeat 9 (str text (subs text 0 90000))))`,
		`(vec (repeat 900000 123456789N))`,
		`(vec (repeat 500000 1/3))`,
		`(let [n (reduce *' (range 1 2000))] (vec (repeat 1500 n)))`,
		`(vec (repeat 400000 2.5M))`,
		`(vec (repeat 300000 #inst "2026-01-01"))`,
		`(vec (repeat 4 (apply str (repeat 200000 "\u2028\n"))))`,
	} {
		res, err := ptctest.Run(t, source, ptc.Options{})
		require.NoError(t, err)
		text, err := res.EDN()
		require.NoError(t, err, source)
		_, err = res.JSON(false)
		require.NoError(t, err, source)
		t.Logf("%.60s: %d bytes", source, len(text))
	}
}

// endless is a result whose text has 60 GB, and which takes no time to make.
const endlessText = doubled + ` (vec (repeat 60000 text))`

func TestRenderingEndsWithTheRun(t *testing.T) {
	wide := ptc.Limits{ResultBytes: 1 << 40, Timeout: 500 * time.Millisecond}
	res, err := ptctest.Run(t, endlessText, ptc.Options{Limits: wide})
	for errors.Is(err, &ptc.Error{Code: "timeout"}) { // the machine was busy
		res, err = ptctest.Run(t, endlessText, ptc.Options{Limits: wide})
	}
	require.NoError(t, err)
	for name, convert := range map[string]func() error{
		"EDN":      func() error { _, err := res.EDN(); return err },
		"JSON":     func() error { _, err := res.JSON(true); return err },
		"WriteEDN": func() error { return res.WriteEDN(context.Background(), io.Discard) },
	} {
		err := convert()
		assert.ErrorIs(t, err, &ptc.Error{Code: "timeout"}, name)
		assert.ErrorContains(t, err, "longer than 500ms, with the conversion of its result", name)
	}
	wide.Timeout = time.Hour
	res, err = ptctest.Run(t, endlessText, ptc.Options{Limits: wide})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, res.WriteEDN(ctx, io.Discard), &ptc.Error{Code: "cancelled"})
}

// failing is a writer that takes some bytes and then fails.
type failing struct {
	left int
	err  error
}

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.left {
		return f.left, f.err
	}
	f.left -= len(p)
	return len(p), nil
}

func TestWriterFails(t *testing.T) {
	full := errors.New("disk full")
	for _, source := range []string{`[1 2 3]`, `(vec (range 100000))`} {
		for _, room := range []int{0, 1, 40_000} {
			res, err := ptctest.Run(t, source, ptc.Options{})
			require.NoError(t, err)
			if text, _ := res.EDN(); len(text) > room {
				assert.Equal(t, full, res.WriteEDN(context.Background(), &failing{room, full}), "%s after %d bytes", source, room)
			}
		}
	}
}

// Pairs of keys that one JSON object or Go map can't hold together.
func TestKeysOfTheSameText(t *testing.T) {
	for source, place := range map[string]string{
		`{:a 1 "a" 2}`:                               "the map has the keys \"a\" and :a, which both become \"a\"",
		`{'a 1 :a 2}`:                                "the map has the keys :a and a,",
		`{1 2 "1" 3}`:                                `the map has the keys "1" and 1,`,
		`{:a/b 1 "a/b" 2}`:                           `which both become "a/b"`,
		`[{:x [0 {:k 1 "k" 2}]}]`:                    `the map at [0 :x 1] has the keys "k" and :k`,
		`(into {} [[\a 1] ["a" 2]])`:                 `which both become "a"`,
		`(assoc (zipmap (range 100) (range)) "7" 1)`: `the map has the keys "7" and 7,`,
		`(sorted-map-by (fn [a b] (compare (pr-str a) (pr-str b))) :z 1 "z" 2)`: `which both become "z"`,
		`(do (defrecord P [a]) (assoc (->P 1) "a" 2))`:                          `which both become "a"`,
		`#{{:s 1 "s" 2}}`: `the map at [0] has`,
	} {
		res, err := ptctest.Run(t, source, ptc.Options{})
		require.NoError(t, err)
		_, err = res.Value()
		ofValue := err
		_, ofJSON := res.JSON(false)
		for _, err := range []error{ofValue, ofJSON} {
			assert.ErrorIs(t, err, &ptc.Error{Code: "illegal-argument"}, source)
			assert.ErrorContains(t, err, place, source)
		}
		_, err = res.EDN()
		assert.NoError(t, err)
	}
	for _, source := range []string{`{:a 1 "b" 2}`, `{:a/b 1 :b 2}`, `{1 2 "one" 3}`, `{nil 1 "" 2}`, `{1 1 1.0 2}`} {
		res, err := ptctest.Run(t, source, ptc.Options{})
		require.NoError(t, err)
		v, err := res.Value()
		require.NoError(t, err, source)
		assert.Len(t, v, 2)
		_, err = res.JSON(false)
		require.NoError(t, err, source)
	}
}

// A nested result takes a bounded part of the Go stack, and so do its errors.
func TestDeepResults(t *testing.T) {
	for _, source := range []string{`(nth (iterate vector 1) 1500)`, `(nth (iterate (fn [m] {:a m}) 1) 1500)`} {
		res, err := ptctest.Run(t, source, ptc.Options{})
		require.NoError(t, err)
		v, err := res.Value()
		require.NoError(t, err)
		assert.Equal(t, 1500, strings.Count(fmt.Sprint(v), "["))
		_, err = res.JSON(false)
		assert.ErrorIs(t, err, &ptc.Error{Code: "nesting-too-deep"})
	}
}

// A result is converted by several goroutines at once.
func TestResultsAreShared(t *testing.T) {
	res, err := ptctest.Run(t, `(zipmap (map (fn [i] [i (str i)]) (range 500)) (range))`, ptc.Options{})
	require.NoError(t, err)
	want, err := res.JSON(false)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			text, err := res.JSON(false)
			assert.NoError(t, err)
			assert.Equal(t, want, text)
			v, err := res.Value()
			assert.NoError(t, err)
			assert.Len(t, v, 500)
		})
	}
	wg.Wait()
}

// TestPeaks: the peaks of memory are those of the whole run, and not of its end.
func TestPeaks(t *testing.T) {
	const garbage = `(dotimes [_ 20] (vec (range 30000)))`
	limits := ptc.Limits{Memory: 2 << 20, WorkerMemory: 3 << 20}
	for _, source := range []string{garbage, `(do ` + garbage + ` 1)`} {
		res, err := ptc.Run(t.Context(), source, ptc.Options{Limits: limits})
		require.NoError(t, err)
		u := res.Usage
		require.Positive(t, u.Marks)
		assert.GreaterOrEqual(t, u.MemoryPeak, u.Memory)
		assert.Greater(t, u.MemoryPeak, int64(3<<19))
		assert.LessOrEqual(t, u.MemoryPeak, int64(2<<20))
		assert.Zero(t, u.WorkerMemoryPeak)
	}
	res, err := ptc.Run(t.Context(), `(pmap (fn [i] (if (= i 3) (do `+garbage+` i) i)) (range 5))`, ptc.Options{Limits: limits})
	require.NoError(t, err)
	assert.Less(t, res.Usage.MemoryPeak, int64(1<<20))
	assert.Greater(t, res.Usage.WorkerMemoryPeak, int64(5<<19))
	assert.LessOrEqual(t, res.Usage.WorkerMemoryPeak, int64(3<<20))
	res, err = ptc.Run(t.Context(), `(vec (range 3000))`, ptc.Options{})
	require.NoError(t, err)
	assert.Equal(t, res.Usage.Memory, res.Usage.MemoryPeak, "nothing was given back")
}
