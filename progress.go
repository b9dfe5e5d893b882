// This file defines Progress, which shows a host a run that is under way.

package ptc

import (
	"sync"

	"github.com/ptc-lang/ptc/runtime/sched"
)

// Progress shows the last run, or evaluation of a Session, that began with it in its RunOptions or
// EvalOptions. The zero value is ready for use. It is safe for concurrent use.
type Progress struct {
	mu      sync.Mutex
	effects *effects // nil when nothing runs
	root    *sched.Root
}

// Snapshot is the state of a run at one moment.
type Snapshot struct {
	Elements int64 // of parallel operations that were run
	Waiting  int   // elements that no worker has claimed
	Workers  int   // alive
	Calls    int64 // of tools
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
	return Snapshot{Calls: p.effects.stats().Calls, Elements: par.Completed, Waiting: par.Queued, Workers: par.Workers}
}

func (p *Progress) begun(fx *effects, root *sched.Root) { p.set(fx, root) }

func (p *Progress) ended() { p.set(nil, nil) }

func (p *Progress) set(fx *effects, root *sched.Root) {
	if p != nil {
		p.mu.Lock()
		p.effects, p.root = fx, root
		p.mu.Unlock()
	}
}
