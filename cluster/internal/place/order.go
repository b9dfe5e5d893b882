// This file defines which run a node takes next.

package place

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// strides are the distances between the starts of a lane, by priority: while all lanes have runs, of 21 starts 16 are
// of the first lane, 4 of the second and 1 of the third.
var strides = [len(effect.Priorities)]int64{1, 4, 16}

func laneOf(u *unit) int { return int(u.Priority - effect.HighPriority) }

// before reports whether a unit is before another one of its lane.
func (u *unit) before(o *unit) bool {
	return cmp.Or(cmp.Compare(u.Turn, o.Turn), u.compare(o)) < 0
}

// compare orders the units of one submitter, and those of one turn: by deadline, then as they were added.
func (u *unit) compare(o *unit) int {
	return cmp.Or(cmp.Compare(u.until(), o.until()), cmp.Compare(u.created, o.created), cmp.Compare(u.Run, o.Run))
}

// until returns the deadline, or the end of time.
func (u *unit) until() time.Duration {
	if u.Until == 0 {
		return math.MaxInt64
	}
	return u.Until
}

// chosen is the choice of a node: a unit, and the one of the same submitter whose turn it takes, or nil.
type chosen struct {
	unit, turn *unit
	// bounded requires that no other node has started a run of the tenant since started: otherwise this node
	// would not know all active runs of the tenant.
	bounded bool
	started engine.Revision
}

// search is a search for a run to take.
type search struct {
	q     *Queue
	room  Room
	self  member.Node
	nodes map[string]*member.Node
	now   time.Time
}

// choose returns the unit that this node takes next. next is the time after which a run that it can't take yet might be
// one that it can; 0 if there is none. The caller holds the lock.
func (s *search) choose() (c chosen, next time.Duration) {
	q := s.q
	var best [len(strides)]*unit
	var there [len(strides)]bool
	for _, u := range q.units {
		if q.ahead[u.Run] > u.modified || q.taking[u.Run] || q.isLed(u) {
			continue
		}
		lane := laneOf(u)
		there[lane] = true
		if b := best[lane]; b != nil && !u.before(b) {
			continue
		}
		switch wait := s.wait(u); {
		case wait == 0:
			best[lane] = u
		case wait > 0:
			next = sooner(next, wait)
		}
	}
	q.join(there)
	order := []int{0, 1, 2}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(q.pass[a], q.pass[b]) })
	for _, lane := range order {
		if best[lane] == nil {
			continue
		}
		c.turn = best[lane]
		c.unit = s.first(c.turn)
		if c.unit.Memory > s.room.Memory && !s.has(c.unit) { // it is preferred here, and those behind it wait, see wait
			return chosen{}, next
		}
		if c.turn == c.unit || c.turn.Turn == c.unit.Turn {
			c.turn = nil
		}
		return c, next
	}
	return chosen{}, next
}

// has reports whether this node takes part in a run, which has its room then.
func (s *search) has(u *unit) bool {
	if s.q.opts.Parts == nil {
		return false
	}
	here, _ := s.q.opts.Parts(u.Run)
	return here
}

// join lets a lane that was empty begin where the others are: it has saved no starts.
func (q *Queue) join(there [len(strides)]bool) {
	for i := range there {
		for k := range there {
			if there[i] && !q.had[i] && q.had[k] {
				q.pass[i] = max(q.pass[i], q.pass[k])
			}
		}
	}
	q.had = there
}

// first returns the unit that a submitter's turn is for: the first of its units that this node may take.
func (s *search) first(turn *unit) *unit {
	best := turn
	for _, u := range s.q.units {
		if !u.together(&turn.Job) || s.q.ahead[u.Run] > u.modified || s.q.taking[u.Run] || s.q.isLed(u) ||
			u.compare(best) >= 0 || s.wait(u) != 0 {
			continue
		}
		best = u
	}
	return best
}

// never is the wait for a unit that this node can't take as things are.
const never time.Duration = -1

// wait returns the time after which this node may take a unit; 0 is now.
func (s *search) wait(u *unit) time.Duration {
	q := s.q
	if u.From > q.clock || u.Until > 0 && u.Until <= q.clock || u.Memory > s.room.Most || q.unfit(u, &s.self) != "" {
		return never
	}
	if s.room.May != nil {
		if ofTenant, own := q.usedBy(u.Tenant, u.By); !s.room.May(u.Job, ofTenant, own) {
			return never
		}
	}
	here, elsewhere := false, false
	if q.opts.Parts != nil {
		here, elsewhere = q.opts.Parts(u.Run)
	}
	switch {
	case here:
		return 0
	case elsewhere:
		return never // until those have left it
	case u.Prefer == q.self:
		return 0 // even if it is too large now: others must not overtake it here
	}
	if u.Memory > s.room.Memory {
		return never
	}
	wait, since := time.Duration(0), s.now.Sub(u.seen)
	if n := s.nodes[u.Prefer]; n != nil && n.Usable() {
		wait = q.opts.HeadStart
	}
	if u.Region != "" && u.Region != s.self.Region && s.region(u) {
		wait = max(wait, q.opts.RegionStart)
	}
	if since < wait+time.Duration(len(s.nodes))*headStep {
		wait += time.Duration(s.rank(u)) * headStep
	}
	return max(wait-since, 0)
}

// headStep is the additional delay of each further node before it takes a run, so that usually only one of
// them asks for it. It is longer than a commit.
const headStep = 20 * time.Millisecond

// rank returns the number of nodes that may take a unit before this one. It is another one for each unit.
func (s *search) rank(u *unit) int {
	own, n := weight(u.Run, s.q.self), 0
	for name, o := range s.nodes {
		if name != s.q.self && o.Usable() && weight(u.Run, name) > own {
			n++
		}
	}
	return n
}

// weight orders nodes for a name, for each name in another way, which stays the same while nodes come and go.
func weight(name, node string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(node))
	h.Write([]byte{0})
	h.Write([]byte(name))
	x := h.Sum64() // its high bits hardly depend on the last bytes
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return x
}

// region reports whether a node of the region of a unit could take it.
func (s *search) region(u *unit) bool {
	for _, n := range s.nodes {
		if n.Region == u.Region && n.Usable() && s.q.unfit(u, n) == "" {
			return true
		}
	}
	return false
}

// sooner returns the smaller of two times that are not 0.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	if b == 0 {
		return a
	}
	return min(a, b)
}
