// This file defines Thread/sleep.

package builtins

import (
	"math"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var waiting = []entry.Entry{
	{NS: "Thread", Name: "sleep", Args: "ms | ms nanos", Cost: entry.Constant, Waits: true, Fn: sleep,
		Doc: "Runs the futures that are outstanding, then waits for a number of milliseconds, or until the run times out " +
			"or is cancelled.",
		Examples: []string{"(Thread/sleep 1) => nil", "(Thread/sleep -1) !illegal-argument"}},
}

// sleep changes nothing, so that it may run again, and charges nothing, so that it does not.
func sleep(t *value.Task, args []value.Value) value.Value {
	ms := value.ToLong(t, args[0])
	if ms < 0 {
		t.Fail(diag.IllegalArgument, "timeout value is negative")
	}
	t.Host.Futures().RunOutstanding()
	t.Host.Wait(time.Duration(min(ms, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond)
	t.Look()
	return value.Nil
}
