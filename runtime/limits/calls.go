// This file defines Calls: a number of tool calls that evaluations share.

package limits

import "sync/atomic"

// Calls holds the remaining calls of the evaluations that share it.
type Calls struct {
	left  atomic.Int64
	limit int64  // initial number
	outer *Calls // the number that this is a part of; nil for that of the run
}

// NewCalls returns n calls, as a part of outer if that is not nil.
func NewCalls(n int, outer *Calls) *Calls {
	c := &Calls{limit: int64(n), outer: outer}
	c.left.Store(c.limit)
	return c
}

// Take takes a call. If none is left it takes none and unwinds with a Stop. If beyond is set, it
// ignores the counts of scopes, because they are known to have sufficed.
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

// Left returns the number of calls that may still be made.
func (c *Calls) Left() int {
	least := c.left.Load()
	for ; c != nil; c = c.outer {
		least = min(least, c.left.Load())
	}
	return int(max(least, 0))
}
