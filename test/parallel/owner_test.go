package parallel

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/builtins"
)

// cells are mutable objects, with the reads that are allowed of each.
var cells = []struct{ name, makes, reads string }{
	{"an-atom", "(atom 1 :meta {:a 1})", "[@an-atom (meta an-atom)]"},
	{"a-volatile", "(volatile! 1)", "@a-volatile"},
	{"a-transient", "(transient [1 2 3])", "[(count a-transient) (a-transient 0)]"},
	{"a-map", "(transient {:a 1})", "[(count a-map) (a-map :a)]"},
	{"a-set", "(transient #{1})", "(count a-set)"},
	{"an-array", "(object-array [3 2 1])", "(vec an-array)"},
	{"longs", "(long-array [3 2 1])", "(vec longs)"},
	{"a-builder", `(StringBuilder. "ab")`, "(str a-builder)"},
	{"a-matcher", `(re-matcher #"a" "aaa")`, "a-matcher"},
	{"a-var", "(do (def root 1) #'root)", "[@a-var (meta a-var)]"},
	{"a-multi", "(do (defmulti multi identity) (defmethod multi 1 [x] :one) multi)", "(methods a-multi)"},
	{"a-protocol", "(do (defprotocol P (m [x])) P)", "(extends? P Long)"},
	{"an-object", "(do (defprotocol Q (put [o x]) (at [o])) (deftype T [^:unsynchronized-mutable x] Q (put [_ y] (set! x y)) (at [_] x)) (->T 1))",
		"[(at an-object) (try (first (pmap (fn [_] (put an-object 2)) [1])) (catch Exception e :refused))]"},
	{"a-lazy", "(map inc (range 100))", "(realized? a-lazy)"},
	{"a-delay", "(delay 1)", "(realized? a-delay)"},
	{"a-list", "'(1 2)", "a-list"},
	{"a-vector", "(conj [1 2 3] 4)", "a-vector"},
}

// notCalled are the functions that end the run, or wait.
var notCalled = map[string]bool{"return": true, "fail": true, "sleep": true, "System/exit": true}

// TestWorkersChangeNothing calls every function of the library in workers, with
// objects of the parent in each of the first places. None changes an object, neither visibly to the parent
// nor to the race detector.
func TestWorkersChangeNothing(t *testing.T) {
	t.Parallel()
	var defs, reads, names strings.Builder
	for _, c := range cells {
		fmt.Fprintf(&defs, "(def %s %s)\n", c.name, c.makes)
		fmt.Fprintf(&reads, "%s ", c.reads)
		fmt.Fprintf(&names, "%s ", c.name)
	}
	prelude := defs.String() + "(defn state [] (pr-str [" + reads.String() + "]))\n"
	every := testlevel.Size(40, 3)
	if *thorough {
		every = 1
	}
	nth, called := 0, 0
	for e := range builtins.Entries() {
		if nth++; nth%every != 0 {
			continue
		}
		name := e.Name
		if e.NS != "clojure.core" {
			name = e.NS + "/" + e.Name
		}
		if e.Fn == nil && e.Macro != nil || e.Private || notCalled[e.Name] {
			continue
		}
		source := prelude + fmt.Sprintf(`(def before (state))
(pmap (fn [_]
        (doseq [c [%s] args [[c] [c 0] [c 0 5] [c :k identity] [identity c] [c a-list]]]
          (try (with-limits {:ms 500 :steps 300} (apply %s args) nil) (catch Throwable e nil))))
  [1 2])
(= before (state))`, names.String(), name)
		p, err := ptc.Compile(context.Background(), "owner", source, ptc.Options{})
		if err != nil { // a method or a special form: no value
			continue
		}
		called++
		res, err := p.Run(context.Background(), ptc.RunOptions{Output: func(ptc.Print) {}})
		if err != nil {
			require.ErrorIs(t, err, &ptc.Error{Code: "timeout"}, name)
			continue
		}
		require.Equal(t, true, ptctest.ValueOf(res), "%s changed an object of the parent", name)
	}
	require.Greater(t, called, 500/every)
}
