//go:build probe && linux

// This file tests the time between two polls of a run. It measures the processor time of the run's
// thread, which other processes do not affect.

package memtest

import (
	"context"
	"flag"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// threadTime returns the processor time of this thread.
func threadTime() time.Duration {
	const rusageThread = 1
	var u syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// polls records the polls of a run.
type polls struct {
	last, longest time.Duration // last is 0 before the first poll
	before        []uintptr     // the stack at the poll that ended the longest interval
	work          int64         // the largest number of units accounted for in one call
	block         int64         // the largest block charged, except for strings
	of            string        // the stack of that charge
}

// charge records a charge of n bytes. A string is not cleared when it is allocated, and an array is
// allocated block by block.
func (p *polls) charge(_ *limits.Meter, n int64) {
	if n <= max(p.block, maxBlock/8) {
		return
	}
	of := make([]uintptr, 16)
	of = of[:runtime.Callers(3, of)]
	if who := frames(of); !inPieces.MatchString(who) {
		p.block, p.of = n, who
	}
}

// inPieces matches the functions that charge in one call for memory that is allocated piece by piece.
var inPieces = regexp.MustCompile(`newString|StringOfBytes|\(\*Buf\)|CopyString|\(\*Task\)\.Blocks|bigVector|builtins.format|capture|gather`)

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

// frames returns the innermost functions of a stack.
func frames(stack []uintptr) string {
	var names []string
	frames := runtime.CallersFrames(stack)
	for f, more := frames.Next(); more && len(names) < 7; f, more = frames.Next() {
		name := f.Function[strings.LastIndex(f.Function, "/")+1:]
		if !strings.HasPrefix(name, "limits.") {
			names = append(names, fmt.Sprintf("%s:%d", name, f.Line))
		}
	}
	return strings.Join(names, " < ")
}

// Limits of about 3 ms without a poll: units of work accounted for in one call, and bytes of a block
// that Go clears when it allocates it.
const (
	maxWork  = 1 << 18
	maxBlock = 8<<20 + 1<<16
)

// runs is the number of times that each work is watched. If other machines share the processor, any
// interval may be longer now and then, so the minimum of the maxima counts.
var runs = flag.Int("runs", 1, "how often the polls of each long work are watched")

func TestPollsAreNear(t *testing.T) {
	if testing.Short() {
		t.Skip("long work takes long")
	}
	// The collector's work, which is done by the goroutine that allocates, does not belong to the
	// run.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, l := range longs {
		t.Run(l.name, l.testPolls)
	}
}

func (l long) testPolls(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var p *polls
	var whole time.Duration
	for range *runs {
		q, d, err := watch(l)
		if err != nil {
			t.Fatal(err)
		}
		if p == nil || q.longest < p.longest {
			p, whole = q, d
		}
	}
	flag := ""
	if p.longest > 3*time.Millisecond {
		flag = "  !! " + frames(p.before)
	}
	t.Logf("%-36s %8v %10v %9d %9d%s", l.name, whole.Round(time.Millisecond), p.longest.Round(10*time.Microsecond), p.work,
		p.block, flag)
	if p.work > maxWork {
		t.Errorf("%d units of work were accounted for at once, want at most %d", p.work, maxWork)
	}
	if most := max(maxBlock, l.charge); p.block > most {
		t.Errorf("a block of %d bytes, want at most %d: %s", p.block, most, p.of)
	}
}

// watch runs a work and returns its polls and its duration.
func watch(l long) (*polls, time.Duration, error) {
	runtime.GC()
	c := newClock()
	p := &polls{before: make([]uintptr, 16)}
	limits.Probe = p.charge
	limits.ProbeWork = func(_ *limits.Meter, n int64) { p.work = max(p.work, n) }
	limits.ProbePoll = p.poll
	_, err := l.run(context.Background(), c)
	limits.Probe, limits.ProbePoll, limits.ProbeWork = nil, nil, nil
	if err != nil {
		return nil, 0, err
	}
	return p, (<-c.ended).Sub(<-c.began), nil
}
