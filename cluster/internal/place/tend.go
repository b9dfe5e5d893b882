// This file defines how nodes maintain the queue: each hands back runs that it should not take, and the
// coordinator moves runs, raises the clock, and ends those whose deadline has passed.

package place

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/load"
	"github.com/ptc-lang/ptc/cluster/member"
)

const (
	// tendEvery is the interval at which a node checks its own load.
	tendEvery = time.Second
	// clockTick is the time by which the clock of the cluster advances.
	clockTick = time.Second
	// moveMost is the maximum number of runs that are moved in one commit. Each takes a condition and an operation.
	moveMost = 32
	// moveTurn is the maximum number of runs that are moved in one check of the balance, so that the loads can react.
	moveTurn = 4 * moveMost
)

// tend hands queued runs back until the queue is closed.
func (q *Queue) tend() {
	tick := time.NewTicker(tendEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-q.ctx.Done():
			return
		}
		self, ok := q.members.Node(q.self)
		if s := q.members.Now(); ok && s != nil {
			q.handBack(s, &self)
		}
	}
}

// handBack decides by the load whether this node takes runs, and has queued runs prefer other nodes if it is overloaded
// or draining.
func (q *Queue) handBack(s *member.Session, self *member.Node) {
	l := self.Load
	q.mu.Lock()
	l.Queue = q.waits[q.self]
	was := q.open
	q.open = q.gate.Decide(l)
	now := q.open
	q.mu.Unlock()
	if now.Why != was.Why {
		q.log.Info("the load of this node has passed a threshold", "node", q.self, "exceeded", now.Why)
	}
	if now.Pull && !was.Pull {
		q.Kick()
	}
	others := func(n *member.Node) bool { return n.Name != q.self && (self.Draining || !q.overloaded(n)) }
	switch most := cmp.Or(q.opts.Thresholds.Queue, load.DefaultQueue); {
	case self.Draining || !now.Pull && now.HandBack:
		q.move(s.Context(), s.Holds(), moving{from: q.self, to: others, most: math.MaxInt})
	case now.HandBack:
		q.move(s.Context(), s.Holds(), moving{from: q.self, to: others, most: l.Queue - most*9/10, below: most * 9 / 10})
	}
}

// overloaded reports whether the last report of a node was over a threshold, so that it would hand back new runs.
func (q *Queue) overloaded(n *member.Node) bool {
	d := (&load.Gate{Thresholds: q.opts.Thresholds}).Decide(n.Load)
	return !d.Pull
}

// coordinate does the work of the coordinator while this node has the duty.
func (q *Queue) coordinate(d *member.Duty) {
	tick, check := time.NewTicker(clockTick), time.NewTicker(q.opts.Check)
	defer tick.Stop()
	defer check.Stop()
	var last time.Time // of the clock, if it runs
	for {
		select {
		case <-d.Context().Done():
			return
		case <-tick.C:
			last = q.raise(d, last)
			q.expire(d)
		case <-check.C:
			q.balance(d)
		}
	}
}

// raise raises the clock by the time since the last tick, if some run waits for a time.
func (q *Queue) raise(d *member.Duty, last time.Time) time.Time {
	q.mu.Lock()
	needed, clock := false, q.clock
	for _, u := range q.units {
		needed = needed || u.From > clock || u.Until > 0 && !q.isLed(u)
	}
	q.mu.Unlock()
	if !needed {
		return time.Time{}
	}
	now := time.Now()
	if last.IsZero() {
		return now
	}
	clock += now.Sub(last) // by the monotonic clock
	value := strconv.FormatInt(clock.Milliseconds(), 10)
	if _, err := q.apply(d.Context(), []engine.Condition{d.Holds()}, engine.Put(keyClock, []byte(value))); err != nil {
		q.log.Debug("the clock of the cluster can't be raised; trying again", "error", err)
		return last
	}
	return now
}

// expire takes the runs whose deadline has passed while they waited, so that they are ended here.
func (q *Queue) expire(d *member.Duty) {
	s := q.members.Now()
	if s == nil {
		return
	}
	var over []*unit
	q.mu.Lock()
	for _, u := range q.units {
		if u.Until > 0 && u.Until <= q.clock && !q.isLed(u) && !q.taking[u.Run] && q.ahead[u.Run] <= u.modified {
			over = append(over, u)
		}
	}
	for _, u := range over {
		q.taking[u.Run] = true
	}
	q.mu.Unlock()
	for _, u := range over {
		q.ask(chosen{unit: u}, s)
	}
}

// balance moves queued runs from the node with the highest score to that with the lowest, and from nodes that can't
// take them any more.
func (q *Queue) balance(d *member.Duty) {
	if q.opts.Topology == ActivePassive {
		return // there is one node that takes runs
	}
	nodes := q.members.Nodes()
	usable := make(map[string]bool)
	var low, high *member.Node
	for i := range nodes {
		n := &nodes[i]
		if !n.Usable() {
			continue
		}
		usable[n.Name] = true
		if low == nil || n.Load.Score() < low.Load.Score() {
			low = n
		}
		if high == nil || n.Load.Score() > high.Load.Score() {
			high = n
		}
	}
	q.mu.Lock()
	lost := make(map[string]bool)
	for _, u := range q.units { // also those whose leader has died: they count for it still
		if !usable[u.Prefer] && !q.isLed(u) {
			lost[u.Prefer] = true
		}
	}
	excess := 0
	if low != nil && high.Load.Score()-low.Load.Score() > q.opts.Imbalance {
		excess = (q.waits[high.Name] - q.waits[low.Name]) / 2
	}
	q.mu.Unlock()
	for name := range lost {
		q.move(d.Context(), d.Holds(), moving{from: name, to: func(*member.Node) bool { return true }, most: math.MaxInt})
	}
	if excess >= q.opts.Batch {
		to := func(n *member.Node) bool { return n.Name == low.Name }
		if n := q.move(d.Context(), d.Holds(), moving{from: high.Name, to: to, most: excess, below: math.MaxInt}); n > 0 {
			q.mu.Lock()
			q.stats.Moves++
			q.mu.Unlock()
			q.log.Info("queued runs were moved", "from", high.Name, "to", low.Name, "runs", n)
		}
	}
}

// moving is which queued runs are to prefer another node.
type moving struct {
	from string // the node that they prefer
	to   func(*member.Node) bool
	most int // of the runs
	// below moves them only to nodes that fewer runs wait for than this, and than for from, and not out of the region of
	// a run; 0 moves them anywhere.
	below int
}

// move makes queued runs prefer another node, which the strategy chooses. It first moves the runs that
// would wait longest. It returns how many were moved.
func (q *Queue) move(ctx context.Context, holds engine.Condition, m moving) (moved int) {
	nodes := slices.DeleteFunc(q.members.Nodes(), func(n member.Node) bool { return n.Name == m.from || !m.to(&n) })
	region := make(map[string]string)
	for _, n := range nodes {
		region[n.Name] = n.Region
	}
	q.mu.Lock()
	var all []*unit
	for _, u := range q.units {
		if u.Prefer == m.from && !q.isLed(u) && !q.taking[u.Run] && q.ahead[u.Run] <= u.modified {
			all = append(all, u)
		}
	}
	slices.SortFunc(all, func(a, b *unit) int { return b.compareTurn(a) })
	var units []Unit
	var at []engine.Revision
	for _, u := range all {
		if len(units) >= min(m.most, moveTurn) {
			break
		}
		next := u.Unit
		q.assign(&next, nodes)
		if m.below > 0 && (next.Prefer == "" || q.waits[next.Prefer] >= min(m.below, q.waits[m.from]) ||
			u.Region != "" && u.Region != region[next.Prefer]) {
			continue
		}
		q.waits[next.Prefer]++ // so that the next one sees it
		units, at = append(units, next), append(at, u.modified)
	}
	for _, u := range units {
		if q.waits[u.Prefer]--; q.waits[u.Prefer] == 0 {
			delete(q.waits, u.Prefer)
		}
	}
	q.mu.Unlock()
	for begin := 0; begin < len(units); begin += moveMost {
		some := units[begin:min(begin+moveMost, len(units))]
		conditions, ops := []engine.Condition{holds}, []engine.Op{}
		for i := range some {
			conditions = append(conditions, engine.At(keyUnit+some[i].Run, at[begin+i]))
			ops = append(ops, engine.Put(keyUnit+some[i].Run, encode(&some[i])))
		}
		res, err := q.apply(ctx, conditions, ops...)
		if err != nil || !res.Done { // one of them was taken in the meantime: the next look moves the others
			continue
		}
		moved += len(some)
	}
	q.mu.Lock()
	q.stats.Moved += moved
	q.mu.Unlock()
	return moved
}

// compareTurn orders the units of a lane.
func (u *unit) compareTurn(o *unit) int {
	return cmp.Or(cmp.Compare(laneOf(u), laneOf(o)), cmp.Compare(u.Turn, o.Turn), u.compare(o))
}
