// This file defines the test of hostile programs: each ends in a clear error, or in
// its value, within its bounds, and the process lives.

package hostile

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
)

// hostileLimits are small, so that all programs together take seconds.
var hostileLimits = ptc.Limits{Memory: 16 << 20, Steps: 1_500_000, Timeout: 20 * time.Second, OutputBytes: 64 << 10}

// boundCodes are the codes that "bound" matches.
var boundCodes = []diag.Code{diag.MemoryExceeded, diag.StepsExceeded, diag.DepthExceeded, diag.Timeout}

func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("allocating to the limits takes the race detector minutes; the full run covers it")
	}
	before := runtime.NumGoroutine()
	t.Run("programs", func(t *testing.T) {
		for i, h := range hostilePrograms {
			if i%testlevel.Size(12, 3) != 0 && !*thorough {
				continue
			}
			t.Run(h.name, func(t *testing.T) {
				t.Parallel()
				runHostile(t, h)
			})
		}
	})
	alive(t)
	noMoreGoroutines(t, before)
}

func runHostile(t *testing.T, h hostile) {
	began := time.Now()
	opts := ptc.Options{Limits: hostileLimits}
	res, err := ptctest.RunWith(context.Background(), h.source, opts, ptc.RunOptions{Seed: 1})
	if got := outcome(t, res, err); !expected(h.want, got) {
		t.Errorf("got %.300s (%v), want %s\n%.300s", got, err, h.want, h.source)
	}
	// Compiling and running may take the time limit each; the rest is for a busy machine.
	if d := time.Since(began); d > 3*hostileLimits.Timeout {
		t.Errorf("took %v", d)
	}
}

// outcome returns "= value", or the code of an error, which must not be internal.
func outcome(t *testing.T, res *ptc.Result, err error) string {
	t.Helper()
	if err == nil {
		text, err := res.EDN()
		if err != nil {
			return checkError(t, err)
		}
		return "= " + text
	}
	return checkError(t, err)
}

func checkError(t *testing.T, err error) string {
	t.Helper()
	var e *ptc.Error
	switch {
	case !errors.As(err, &e):
		t.Fatalf("%T is no *ptc.Error: %v", err, err)
	case e.Code == diag.Internal:
		t.Errorf("internal error: %s\n%s", e.Message, e.Stack)
	case e.Message == "" && e.Cause == nil:
		t.Errorf("%s without a message", e.Code)
	}
	if len(e.Message) > 1<<20 || len(e.Frames) > 100 {
		t.Errorf("%s: message of %d bytes, %d frames", e.Code, len(e.Message), len(e.Frames))
	}
	return string(e.Code)
}

func expected(want, got string) bool {
	for alternative := range strings.SplitSeq(want, "|") {
		switch {
		case alternative == got,
			alternative == "ok" && strings.HasPrefix(got, "= "),
			alternative == "bound" && slices.Contains(boundCodes, diag.Code(got)):
			return true
		}
	}
	return false
}

// alive reports whether the process still runs programs.
func alive(t *testing.T) {
	t.Helper()
	res, err := ptc.Run(context.Background(), "(reduce + (map inc (range 100)))", ptc.Options{})
	if err != nil || ptctest.ValueOf(res) != int64(5050) {
		t.Errorf("afterwards: got %v, %v", res, err)
	}
}

// noMoreGoroutines waits for the goroutines to be no more than before.
func noMoreGoroutines(t *testing.T, before int) {
	t.Helper()
	for range 6000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, 64<<10)
	t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
}
