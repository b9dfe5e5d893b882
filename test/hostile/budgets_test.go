// This file tests small budgets: whatever bound a program hits, and however little is left for handling
// that, it ends with a proper error.

package hostile

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
)

var thorough = flag.Bool("thorough", false, "run all hostile programs, and all examples under small budgets")

// budgetForms put a program where bounds are small: the verbs are the bound and the program.
var budgetForms = []string{
	"(with-limits {:steps %d} (pr-str %s))",
	"(with-limits {:bytes %d} (pr-str %s))",
	"(loop [acc () k 0] (if (< k 12) (recur (conj acc (try (with-limits {:steps %d} (pr-str %s)) (catch Throwable e e))) (inc k)) (count acc)))",
	"(loop [acc () k 0] (if (< k 12) (recur (conj acc (try (with-limits {:bytes %d} %s) (catch Throwable e e))) (inc k)) (count acc)))",
	"(loop [acc ()] (recur (conj acc (try (with-limits {:steps %d} (pr-str %s)) (catch Throwable e e)))))", // until memory is full
	"(try (with-limits {:steps (* 3 %[1]d)} (try (with-limits {:bytes (* 99 %[1]d) :steps %[1]d} %[2]s) (catch Throwable e (str e)))) (catch Throwable e (ex-data e)))",
	"(psettle (fn [i] (with-limits {:steps (* i %d)} (pr-str %s))) (range 4))",
	"(pmap (fn [i] (psettle (fn [k] (with-limits {:bytes (* (inc k) %d)} %s)) (range 3))) (range 3))",
}

// TestSmallBudgets runs examples of the library under small bounds, in scopes and of the run,
// and wants no error to be that of the interpreter.
func TestSmallBudgets(t *testing.T) {
	every := testlevel.Size(480, 160)
	if *thorough {
		every = 1
	}
	nth, runs := 0, 0
	for e := range builtins.Entries() {
		for _, example := range e.Examples {
			if nth++; nth%every != 0 {
				continue
			}
			program, _, _ := strings.Cut(example, " => ")
			program, _, _ = strings.Cut(program, " !")
			for _, form := range budgetForms {
				for _, bound := range []int{1, 7, 40, 300, 5000, 100_000} {
					runs += underBudget(t, fmt.Sprintf(form, bound, program), ptc.Limits{})
				}
			}
			for _, l := range []ptc.Limits{{Steps: 1}, {Steps: 20}, {Steps: 400}, {Depth: 1}, {Depth: 4},
				{OutputBytes: 1, ResultBytes: 1}} {
				runs += underBudget(t, program, l)
			}
		}
	}
	require.Greater(t, runs, 20*nth/every)
}

// underBudget runs a program, if it compiles, and tells how many times.
func underBudget(t *testing.T, source string, l ptc.Limits) int {
	l.Memory, l.WorkerMemory, l.Timeout = 1<<20, 1<<20, time.Minute
	if l.Steps == 0 {
		l.Steps = 2_000_000
	}
	prog, err := ptc.Compile(context.Background(), "p", source, ptc.Options{Limits: l})
	if err != nil {
		return 0
	}
	_, err = prog.Run(context.Background(), ptc.RunOptions{Seed: 1})
	var e *ptc.Error
	if errors.As(err, &e) && e.Code == diag.Internal {
		t.Errorf("%s\n%+v\ninternal error: %s\n%s", source, l, e.Message, e.Stack)
	}
	return 1
}
