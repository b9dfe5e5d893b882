// This file defines Clock, a hybrid logical clock, and the order of writes.

package facts

import (
	"bytes"
	"cmp"
	"sync"
	"time"
)

// Stamp is the time of a write. Stamps of one clock grow; those of different nodes are never equal.
type Stamp struct {
	Wall    int64  `json:"w"` // milliseconds since 1970
	Logical uint32 `json:"l,omitempty"`
	Node    string `json:"n"`
}

// Compare returns a number below 0 if s is before o, above 0 if it is after it, and 0 if they are equal.
func (s Stamp) Compare(o Stamp) int {
	return cmp.Or(cmp.Compare(s.Wall, o.Wall), cmp.Compare(s.Logical, o.Logical), cmp.Compare(s.Node, o.Node))
}

// Newer reports whether fact a wins over b. No two different facts win over each other, so the order in which facts are
// merged does not matter: of equal stamps, which only damaged data has, the greater value wins.
func Newer(a, b Fact) bool {
	if c := a.Stamp.Compare(b.Stamp); c != 0 {
		return c > 0
	}
	return bytes.Compare(a.Value, b.Value) > 0
}

// Clock returns stamps that grow, and that are later than all stamps it has observed, except stamps far in
// the future, whatever the clock of the machine does. It is safe for concurrent use.
type Clock struct {
	node string
	now  func() time.Time

	mu   sync.Mutex
	last Stamp
}

// NewClock returns a clock of a node, by a clock of its machine.
func NewClock(node string, now func() time.Time) *Clock {
	return &Clock{node: node, now: now, last: Stamp{Node: node}}
}

// Next returns a stamp later than all before.
func (c *Clock) Next() Stamp {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance(c.now().UnixMilli())
	return c.last
}

// advance makes last later, to wall if that is later.
func (c *Clock) advance(wall int64) {
	switch {
	case wall > c.last.Wall:
		c.last.Wall, c.last.Logical = wall, 0
	case c.last.Logical == 1<<32-1:
		c.last.Wall, c.last.Logical = c.last.Wall+1, 0
	default:
		c.last.Logical++
	}
}

// Observe makes later stamps greater than s, unless s is far in the future: else one clock that was wrong would take
// all others with it, and no other region would accept their writes any more.
func (c *Clock) Observe(s Stamp) {
	if !c.plausible(s) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.Wall > c.last.Wall || s.Wall == c.last.Wall && s.Logical > c.last.Logical {
		c.last.Wall, c.last.Logical = s.Wall, s.Logical
	}
}

// maxAhead is how far the stamp of another node may be ahead of the clock of this machine.
const maxAhead = 24 * time.Hour

// plausible reports whether a stamp is not far in the future.
func (c *Clock) plausible(s Stamp) bool {
	return s.Wall <= c.now().Add(maxAhead).UnixMilli()
}
