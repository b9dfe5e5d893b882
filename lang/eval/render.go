// This file defines what is done with a value after its run: it is written as text, or made a Go value.

package eval

import (
	"context"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Afterwards is what may be taken after a run.
type Afterwards struct {
	Limits  limits.Limits // of the run
	Memory  int64         // bytes
	Elapsed time.Duration // of Limits.Timeout, by the run
	Untimed bool          // no deadline holds but that of the context
}

// Do calls fn with a task under the bounds. No program runs any more that could compute a missing part
// of the value, which is an error. Steps are not bounded: what fn makes is, by memory or by the size of a text.
func (a Afterwards) Do(ctx context.Context, fn func(t *value.Task)) (err *diag.Error) {
	m := &Machine{frames: make([]frame, 1)}
	m.Host, m.Owner, m.opts.Limits = m, renderOwner, a.Limits
	m.Inert = true
	timeout := a.Limits.Timeout
	if a.Untimed {
		timeout, a.Elapsed = replayTime, 0
	}
	m.Task.Start(ctx, a.Memory, limits.Most().Steps, timeout)
	m.Elapse(a.Elapsed)
	defer func() {
		if r := recover(); r != nil {
			err = m.importFailure(r)
		}
	}()
	fn(&m.Task)
	return nil
}

// End ends a run or a call of Afterwards.Do, whose error it becomes.
func End(err *diag.Error) { panic(stop{err}) }

// Kept returns the bytes that stay charged when a run has ended with v, to be called once all else about the
// account has been read. last says that no other evaluation of the machine's globals follows. An account that
// is less than half full is taken as it is; the garbage of a fuller one is found by a mark.
func (m *Machine) Kept(v value.Value, last bool) (n int64) {
	n = m.Used()
	if n <= m.Cap()/2 {
		return n
	}
	defer func() {
		m.result = value.Nil
		if r := recover(); r != nil { // a bound was hit meanwhile: what is charged stays the answer
			if _, stopped := r.(limits.Stop); !stopped {
				panic(r)
			}
		}
	}()
	if last {
		clear(m.globals)
	}
	m.result = v
	return m.mark()
}

// renderOwner tags the strings that rendering makes.
const renderOwner = 3
