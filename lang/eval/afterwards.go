// This file defines the bounds under which a value is converted after its run: to a string or a Go value.

package eval

import (
	"context"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval/internal/machine"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Afterwards is the memory and time that may be used after a run.
type Afterwards struct {
	Limits  limits.Limits // of the run
	Memory  int64         // bytes
	Elapsed time.Duration // of Limits.Timeout, by the run
	Untimed bool          // no deadline holds but that of the context
}

// Do calls fn with a task under the bounds. No program runs any more, so a part of the value that is not
// computed is an error. Steps are not bounded: memory, or the size of a string, bounds the output of fn.
func (a Afterwards) Do(ctx context.Context, fn func(t *value.Task)) (err *diag.Error) {
	m := &Evaluation{}
	m.InitInert(m, points{m}, a.Limits)
	m.Owner = renderOwner
	timeout := a.Limits.Timeout
	if a.Untimed {
		timeout, a.Elapsed = replayTime, 0
	}
	m.Task.Start(ctx, a.Memory, limits.Most().Steps, timeout)
	m.Elapse(a.Elapsed)
	defer func() {
		if r := recover(); r != nil {
			err = m.ImportFailure(r)
		}
	}()
	fn(&m.Task)
	return nil
}

// End ends a run or a call of Afterwards.Do, whose error it becomes.
func End(err *diag.Error) { machine.EndIf(err) }

// renderOwner tags the strings that rendering makes.
const renderOwner = 3
