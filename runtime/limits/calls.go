// This file defines Calls: a number of calls of tools that evaluations share.

package limits

import "sync/atomic"

// Calls is what is left of a number of calls, for the evaluations that share it.
type Calls struct {
	left  atomic.Int64
	limit int64  // that it began with
	outer *Calls // in which this is a part; nil for that of the run
}

// NewCalls gives n calls, which are a part of outer if that is not nil.
func NewCalls(n int, outer *Calls) *Calls {
	c := &Calls{limit: int64(n), outer: outer}
	c.left.Store(c.limit)
	return c
}

// Take takes a call. If none is left it unwinds with a Stop, and takes none. With beyond,
// those of a scope need not be left: it is known that they sufficed.
func (c *Calls) Take(beyond bool) {
	for part := c; part != nil; part = part.outer {
		if part.left.Add(-1) >= 0 || beyond && part.outer != nil {
			continue
		}
		for back := c; ; back = back.outer {
			back.left.Add(1)
			if back == part {
				break
			}
		}
		panic(Stop{Bound: BoundCalls, Limit: part.limit, Spent: part, At: Moment{At: AtCall}})
	}
}

// Left gives how many calls may still be made.
func (c *Calls) Left() int {
	least := c.left.Load()
	for ; c != nil; c = c.outer {
		least = min(least, c.left.Load())
	}
	return int(max(least, 0))
}
