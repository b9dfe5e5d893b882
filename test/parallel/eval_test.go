// This file defines the tests of the bounds of forms that eval compiles: an evaluation's
// own, be it a worker, a loser or in with-limits.

package parallel

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/lang/diag"
)

// endless are forms whose macros do not end. Macros that the form itself defines are run by the compiler,
// and others by the run.
var endless = []string{
	"(eval '(do (defmacro m [] (loop [] (recur))) (m)))",
	"(eval '(do (defmacro m [] (Thread/sleep 600000)) (m)))",
	"(eval '(do (defmacro m [] (eval '(do (defmacro n [] (loop [] (recur))) (n)))) (m)))",
	"(eval '(do (defmacro m [] (reduce + (range))) (m)))",
	"(eval '(outer))",
	"(loop [] (eval (vec (range 20))) (recur))",
	"(loop [] (read-string (apply str (repeat 1000 \"[]\"))) (recur))",
}

// patient are limits that only a failing test reaches.
var patient = ptc.Limits{Timeout: 20 * time.Second, Steps: 1 << 50, SourceBytes: 1 << 30}

const endlessDefs = "(defmacro outer [] (if @(resolve 'ready) (loop [] (recur)) 1)) (def ready true) "

// TestEvalOfLosers: who is not needed any more ends, wherever eval has got to.
func TestEvalOfLosers(t *testing.T) {
	for _, form := range endless {
		for source, want := range map[string]any{
			"(pany (fn [x] (if (= x 0) (do (Thread/sleep 5) :won) FORM)) (range 2))":                                                    "won",
			"(pquorum 1 (fn [x] (if (= x 0) (do (Thread/sleep 5) :won) FORM)) (range 3))":                                               []any{"won"},
			"(try (pmap (fn [x] (if (= x 0) (do (Thread/sleep 5) (throw (ex-info \"no\" {}))) FORM)) [0 1]) (catch Exception e :lost))": "lost",
			"(pany (fn [x] (if (= x 0) (do (Thread/sleep 5) :won) (pmap (fn [_] FORM) [1 2]))) [0 1])":                                  "won",
		} {
			source = endlessDefs + strings.ReplaceAll(source, "FORM", form)
			res, err := ptctest.Run(t, source, ptc.Options{Limits: patient})
			require.NoError(t, err, source)
			require.Equal(t, want, ptctest.ValueOf(res), source)
		}
	}
}

// TestEvalUnderLimits: the bounds of with-limits, and those of the run, apply to code that eval compiles;
// nothing inside of them catches their errors.
func TestEvalUnderLimits(t *testing.T) {
	for _, form := range endless {
		for limit, code := range map[string]string{"{:steps 300000}": "steps-exceeded", "{:ms 50}": "timeout"} {
			if code == "steps-exceeded" && strings.Contains(form, "sleep") {
				continue
			}
			scope := "(with-limits " + limit + " (try " + form + " (catch Throwable e :caught)))"
			for _, source := range []string{scope, "(first (pmap (fn [_] " + scope + ") [1]))"} {
				_, err := ptctest.Run(t, endlessDefs+source, ptc.Options{Limits: patient})
				require.ErrorIs(t, err, &ptc.Error{Code: diag.Code(code)}, source)
			}
		}
		for code, limits := range map[string]ptc.Limits{"steps-exceeded": {Steps: 300_000, Timeout: 20 * time.Second}, "timeout": {Timeout: 50 * time.Millisecond, Steps: 1 << 50}} {
			if code == "steps-exceeded" && strings.Contains(form, "sleep") {
				continue
			}
			limits.SourceBytes = patient.SourceBytes
			_, err := ptctest.Run(t, endlessDefs+"(try "+form+" (catch Throwable e :caught))", ptc.Options{Limits: limits})
			require.ErrorIs(t, err, &ptc.Error{Code: diag.Code(code)}, form)
		}
	}
}

// TestStepsOfEval: the work of the compiler and of macros is the run's.
func TestStepsOfEval(t *testing.T) {
	steps := func(source string) int64 {
		res, err := ptctest.Run(t, source, ptc.Options{})
		require.NoError(t, err)
		return res.Usage.Steps
	}
	define := "(defmacro m [] (reduce + (map inc (range 100000))))"
	beside := "(eval '(do " + define + " (m)))"
	require.Greater(t, steps(beside), int64(100_000))
}
