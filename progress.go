// This file defines Progress, which shows a host a run that is under way.

package ptc

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/sched"
)

// Progress shows the last run, or evaluation of a Session, that began with it in its RunOptions or
// EvalOptions. The zero value is ready for use. It is safe for concurrent use.
type Progress struct {
	mu      sync.Mutex
	effects *effects // nil when nothing runs
	root    *sched.Root
	used    *limits.Gauge
	clock   *limits.Clock
	began   time.Time
	others  *atomic.Int64 // calls of elements that other nodes have run
}

// Snapshot is the state of a run at one moment.
type Snapshot struct {
	Elements int64         // of parallel operations that were run
	Waiting  int           // elements that no worker has claimed
	Workers  int           // alive
	Calls    int64         // of tools
	Running  int           // evaluations that compute, with the main one; 0 until something runs in parallel
	Blocked  int           // evaluations that wait for time, a call, a guard or their operation
	Idle     int           // processors that the run may use and does not; 0 until something runs in parallel
	Steps    int64         // of the run, including up to some thousands that its evaluations have reserved
	Memory   int64         // bytes in the account of the main evaluation
	Elapsed  time.Duration // of the limit of time: without the time in which the run waits for settlements only
}

// Now returns a snapshot; the zero Snapshot if nothing runs.
func (p *Progress) Now() Snapshot {
	if p == nil {
		return Snapshot{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.effects == nil {
		return Snapshot{}
	}
	par := p.root.Stats()
	return Snapshot{Calls: p.effects.stats().Calls + p.others.Load(), Elements: par.Completed, Waiting: par.Queued,
		Workers: par.Workers, Running: par.Running, Blocked: par.Blocked, Idle: par.Idle, Steps: p.used.Steps(),
		Memory: p.used.Memory(), Elapsed: time.Since(p.began) - p.clock.Lost()}
}

// WithoutSecrets returns a string without the secrets that the arguments and results of the run's calls have had so
// far, for hosts that keep data from RunOptions.Output, Around or Observer. If nothing runs, it returns "".
func (p *Progress) WithoutSecrets(text string) string {
	if p == nil {
		return ""
	}
	p.mu.Lock()
	fx := p.effects
	p.mu.Unlock()
	if fx == nil {
		return ""
	}
	return fx.secrets.Text(text)
}

// begun shows a run whose main evaluation has started.
func (p *Progress) begun(fx *effects, root *sched.Root, meter *limits.Meter, others *atomic.Int64) {
	if p == nil {
		return
	}
	used := &limits.Gauge{}
	meter.Show(used)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.effects, p.root, p.used, p.clock, p.began, p.others = fx, root, used, meter.Clock(), time.Now(), others
}

// ended undoes begun, unless another run has begun since.
func (p *Progress) ended(fx *effects) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.effects == fx {
		p.effects, p.root, p.used, p.clock = nil, nil, nil, nil
	}
}
