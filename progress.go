// This file defines Progress, through which a host looks at a run that is under way.

package ptc

import (
	"sync"

	"github.com/ptc-lang/ptc/runtime/sched"
)

// Progress shows the run, or the evaluation of a Session, that was begun last with it
// in its RunOptions or EvalOptions. The zero value is ready, and is safe for concurrent use.
type Progress struct {
	mu      sync.Mutex
	effects *effects // nil when nothing runs
	pool    *sched.Pool
}

// Snapshot is what a run has done and does at a moment.
type Snapshot struct {
	Elements int64 // of parallel operations that were run
	Waiting  int   // elements that no worker has claimed
	Workers  int   // alive
	Calls    int64 // of tools
}

// Now returns a snapshot; the zero Snapshot if nothing runs.
func (p *Progress) Now() Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.effects == nil {
		return Snapshot{}
	}
	s := Snapshot{Calls: p.effects.stats().Calls}
	if p.pool != nil {
		par := p.pool.Stats()
		s.Elements, s.Waiting, s.Workers = par.Completed, par.Queued, par.Workers
	}
	return s
}

func (p *Progress) begun(fx *effects) { p.set(fx, nil) }

func (p *Progress) ended() { p.set(nil, nil) }

func (p *Progress) set(fx *effects, pool *sched.Pool) {
	if p != nil {
		p.mu.Lock()
		p.effects, p.pool = fx, pool
		p.mu.Unlock()
	}
}

// pooled notes the pool that the run has made for its first parallel operation.
func (p *Progress) pooled(pool *sched.Pool) {
	if p != nil {
		p.mu.Lock()
		p.pool = pool
		p.mu.Unlock()
	}
}
