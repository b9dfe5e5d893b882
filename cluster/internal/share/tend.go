// This file defines how a node maintains the runs that it takes part in: it offers the runs that it leads,
// declares incarnations dead, and leaves runs without work for it.

package share

import (
	"context"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/runtime/dist"
)

const (
	// tendEvery is the time between two looks at the runs of this node.
	tendEvery = 50 * time.Millisecond
	// offerAfter is the time for which units have been free when a run is offered: the leader takes those of small
	// operations sooner.
	offerAfter = 100 * time.Millisecond
	// idleTime is the time after which a node leaves a run without work for it: the next operation may follow
	// soon, and coming back takes an evaluation of the program. It is longer than the time after which a dead
	// leader is noticed, so that a node which takes part becomes the next leader.
	idleTime = 5 * time.Second
	// placeless is the time after which a node without a place in a run takes no part in it, although its session
	// continues: it could not record that it has left. It is more than the offers and places that a node knows lag behind
	// a log.
	placeless = 5 * time.Second
	// commitTime bounds a commit, and an append to a log.
	commitTime = 5 * time.Second
)

// tend looks at the runs of this node until the Share is closed.
func (s *Share) tend() {
	tick := time.NewTicker(tendEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-s.ctx.Done():
			return
		}
		s.mu.Lock()
		all := make([]*part, 0, len(s.parts))
		for _, p := range s.parts {
			all = append(all, p)
		}
		s.mu.Unlock()
		needed := len(all) > 0 && s.roomNeeded()
		for _, p := range all {
			p.tend(needed)
		}
	}
}

// roomNeeded reports whether a run waits for this node that could have the room of a run of others.
func (s *Share) roomNeeded() bool {
	runs, memory := s.opts.Queue.Wants()
	room := s.opts.Host.Room()
	return runs > 0 && (room.Runs <= 0 || room.Memory < memory)
}

// tend looks at one run. roomNeeded reports that others need its room.
func (p *part) tend(roomNeeded bool) {
	p.mu.Lock()
	n, leads := p.node, p.leads
	p.mu.Unlock()
	if n == nil || n.Over() != nil {
		return
	}
	now, left := time.Now(), n.Remaining()
	if leads {
		p.lead(n, left, now)
		return
	}
	if left.Free > 0 || left.Mine > 0 {
		p.nothing = time.Time{}
	} else if p.nothing.IsZero() {
		p.nothing = now
	}
	_, led := p.share.opts.Queue.Leader(p.e.Run)
	if roomNeeded || led && !p.nothing.IsZero() && now.Sub(p.nothing) > idleTime {
		p.e.Leave()
	}
}

// lead does the work of the leader of a run.
func (p *part) lead(n *dist.Node, left dist.Remaining, now time.Time) {
	if part, ok := p.e.Waiting(); ok {
		p.waits += (part - p.waits) / 4
	}
	if left.Free == 0 {
		p.free = time.Time{}
	} else if p.free.IsZero() {
		p.free = now
	}
	offers := left.Free > 0 && now.Sub(p.free) >= offerAfter && p.waits >= p.share.opts.Waiting && p.e.Nodes != 1
	if !p.busy.TryLock() {
		return
	}
	deaths := p.deaths(n)
	if offers == p.offering && offers == p.offered && len(deaths) == 0 {
		p.busy.Unlock()
		return
	}
	p.share.wg.Go(func() {
		defer p.busy.Unlock()
		ctx, cancel := context.WithTimeout(p.share.ctx, commitTime)
		defer cancel()
		p.declare(ctx, deaths)
		if offers && !p.offering {
			p.offering = p.offer(ctx)
		} else if !offers {
			p.withdraw()
		}
	})
}

// declare records deaths. The caller holds busy.
func (p *part) declare(ctx context.Context, deaths []death) {
	for _, d := range deaths {
		if err := dist.Declare(ctx, p.log, d.name, d.gone); err != nil {
			p.share.log.Debug("the death of a node can't be recorded; trying again", "run", p.e.Run, "error", err)
			return
		}
		p.declared[d] = true
		p.share.log.Info("a node takes no part in a run any more", "run", p.e.Run, "node", d.name, "gone", d.gone)
	}
}

// death is an incarnation to declare dead.
type death struct {
	name string
	gone bool
}

// deaths returns the incarnations to declare dead. The caller holds busy.
func (p *part) deaths(n *dist.Node) (all []death) {
	if p.declared == nil {
		p.declared = make(map[death]bool)
	}
	var living, dying []string
	n.See(func(st *dist.State) { living, dying = st.Incarnations() })
	m := p.share.opts.Members
	for _, name := range living {
		node, session, _ := parsed(name)
		d := death{name: name}
		over := m.Ended(node, engine.Revision(session)) || p.withoutPlace(node)
		if name != n.Name() && over && !p.declared[d] {
			all = append(all, d)
		}
	}
	for _, name := range dying {
		node, _, process := parsed(name)
		d := death{name: name, gone: true}
		if k, ok := m.Node(node); ok && k.State == member.Alive && k.Process != process && !p.declared[d] {
			all = append(all, d)
		}
	}
	return all
}

// withoutPlace reports whether another node has had no place in the run for a time. The caller holds busy.
func (p *part) withoutPlace(node string) bool {
	if p.share.placed(p.e.Run, node) {
		delete(p.unplaced, node)
		return false
	}
	if _, known := p.unplaced[node]; !known {
		if p.unplaced == nil {
			p.unplaced = make(map[string]time.Time)
		}
		p.unplaced[node] = time.Now()
	}
	return time.Since(p.unplaced[node]) > placeless
}
