//go:build probe && linux

// This file defines the test of what lies between two polls of a run, by the time
// of the processor that its thread took: other processes do not matter to that.

package memtest

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// threadTime gives the processor time of this thread.
func threadTime() time.Duration {
	const rusageThread = 1
	var u syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// polls watches the polls of a run.
type polls struct {
	last, longest time.Duration // last is 0 before the first poll
	before        []uintptr     // the stack at the poll that ended the longest stretch
	work          int64         // the most units that were accounted for at once
}

func (p *polls) poll(*limits.Meter) {
	now := threadTime()
	if d := now - p.last; p.last > 0 && d > p.longest {
		p.longest = d
		p.before = p.before[:cap(p.before)]
		p.before = p.before[:runtime.Callers(3, p.before)]
		now = threadTime()
	}
	p.last = now
}

// where gives the innermost functions at the end of the longest stretch.
func (p *polls) where() string {
	var names []string
	frames := runtime.CallersFrames(p.before)
	for f, more := frames.Next(); more && len(names) < 7; f, more = frames.Next() {
		name := f.Function[strings.LastIndex(f.Function, "/")+1:]
		if !strings.HasPrefix(name, "limits.") {
			names = append(names, fmt.Sprintf("%s:%d", name, f.Line))
		}
	}
	return strings.Join(names, " < ")
}

// maxWork is how many units of work may be accounted for at once: they pass without
// a poll, in some 5 ms.
const maxWork = 3 << 19

func TestPollsAreNear(t *testing.T) {
	if testing.Short() {
		t.Skip("long work takes long")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// The work of the collector, which falls on whoever allocates, is not the run's.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, l := range longs {
		runtime.GC()
		c := newClock()
		p := &polls{before: make([]uintptr, 16)}
		limits.ProbeWork = func(_ *limits.Meter, n int64) { p.work = max(p.work, n) }
		limits.ProbePoll = p.poll
		_, err := l.run(context.Background(), c)
		limits.ProbePoll, limits.ProbeWork = nil, nil
		if err != nil {
			t.Errorf("%s: %v", l.name, err)
			continue
		}
		whole := (<-c.ended).Sub(<-c.began)
		flag := ""
		if p.longest > 5*time.Millisecond {
			flag = "  !! " + p.where()
		}
		t.Logf("%-30s %8v %10v %9d%s", l.name, whole.Round(time.Millisecond), p.longest.Round(10*time.Microsecond), p.work, flag)
		if p.work > maxWork {
			t.Errorf("%s: %d units of work were accounted for at once, want at most %d", l.name, p.work, maxWork)
		}
	}
}
