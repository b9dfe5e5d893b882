// This file defines how a node takes runs.

package place

import (
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/member"
)

// The times after which a node looks again for runs to take: after an error of the engine, and at the latest.
const (
	pullRetry = 100 * time.Millisecond
	pullEvery = time.Second
)

// pull takes runs until the queue is closed.
func (q *Queue) pull() {
	for q.ctx.Err() == nil {
		changed := q.members.Changed()
		again, next := true, time.Duration(0)
		for again && q.ctx.Err() == nil {
			again, next = q.takeNext()
		}
		if next <= 0 || next > pullEvery {
			next = pullEvery
		}
		t := time.NewTimer(next)
		select {
		case <-q.kick:
		case <-changed:
		case <-t.C:
		case <-q.ctx.Done():
		}
		t.Stop()
	}
}

// takeNext takes the next run, and reports whether there may be another one to take now. next is the time after which
// there may be one; 0 if that is not known.
func (q *Queue) takeNext() (again bool, next time.Duration) {
	s := q.members.Now()
	if s == nil || q.members.Reach() != member.Majority {
		return false, 0
	}
	room := q.opts.Worker.Room()
	if room.Runs <= 0 {
		return false, 0
	}
	find := search{q: q, room: room, nodes: make(map[string]*member.Node), now: time.Now()}
	nodes := q.members.Nodes()
	for i := range nodes {
		find.nodes[nodes[i].Name] = &nodes[i]
	}
	self := find.nodes[q.self]
	if self == nil || !self.Usable() {
		return false, 0
	}
	find.self = *self
	q.mu.Lock()
	if q.leaving || q.opts.Topology == ActivePassive && !q.active || !q.open.Pull {
		q.mu.Unlock()
		return false, 0
	}
	c, next := find.choose()
	if c.unit != nil {
		q.taking[c.unit.Run] = true
		c.bounded, c.started = room.Bounded != nil && room.Bounded(c.unit.Job), q.tenants[c.unit.Tenant]
	}
	q.mu.Unlock()
	if c.unit == nil {
		return false, next
	}
	return q.ask(c, s)
}

// ask asks for the leadership of a run.
func (q *Queue) ask(c chosen, s *member.Session) (again bool, next time.Duration) {
	u := c.unit.Unit
	conditions := []engine.Condition{s.Holds(), engine.Absent(keyLead + u.Run), engine.At(keyUnit+u.Run, c.unit.modified)}
	var ops []engine.Op
	if c.turn != nil { // it takes the turn of another one of its submitter, which gets its own
		other := c.turn.Unit
		u.Turn, other.Turn = other.Turn, u.Turn
		conditions = append(conditions, engine.At(keyUnit+other.Run, c.turn.modified))
		ops = append(ops, engine.Put(keyUnit+other.Run, encode(&other)))
	}
	if c.bounded {
		conditions = append(conditions, engine.At(keyTenant+u.Tenant, c.started))
		ops = append(ops, engine.Put(keyTenant+u.Tenant, []byte(q.self)))
	}
	u.Leader, u.Incarnation = q.self, s.Incarnation
	u.Attempts++
	ops = append(ops, engine.Put(keyUnit+u.Run, encode(&u)),
		engine.Op{Key: keyLead + u.Run, Value: []byte(q.self), Lease: s.Lease})
	res, err := q.apply(s.Context(), conditions, ops...)
	q.mu.Lock()
	delete(q.taking, u.Run)
	if err != nil { // if it was made all the same, then take adopts the run
		if known := q.units[u.Run]; known != nil {
			q.adopt(known)
		}
		q.mu.Unlock()
		q.log.Debug("a run can't be taken; trying again", "node", q.self, "run", u.Run, "error", err)
		return false, pullRetry
	}
	if res.Revision > q.revision {
		q.ahead[u.Run] = res.Revision
		if c.turn != nil {
			q.ahead[c.turn.Run] = res.Revision
		}
	}
	if !res.Done {
		q.stats.Conflicts++
		q.mu.Unlock()
		return !c.bounded, headStep // the change is about to be seen
	}
	if c.bounded {
		q.tenants[u.Tenant] = max(q.tenants[u.Tenant], res.Revision)
	}
	q.pass[laneOf(c.unit)] += strides[laneOf(c.unit)]
	l := q.leads[u.Run]
	mine := l == nil
	if mine {
		l = q.lead(u, s, res.Revision)
	}
	q.mu.Unlock()
	if mine {
		q.opts.Worker.Start(l)
	}
	return true, 0
}
