// This file defines the bounds of evaluations that follow another node, and of values that it has computed.

package limits

// Unscope makes an evaluation that has joined draw from the bounds of the run alone, and not from those of scopes.
func (m *Meter) Unscope() {
	for m.steps != nil && m.steps.outer != nil {
		m.steps = m.steps.outer
	}
	m.deadline, m.timeout, m.scoped = m.run.at, m.run.timeout, false
}

// Outermost returns the calls of the run.
func (c *Calls) Outermost() *Calls {
	for c != nil && c.outer != nil {
		c = c.outer
	}
	return c
}

// TakeMany is Take for n calls that were made elsewhere.
func (c *Calls) TakeMany(n int64, beyond bool) {
	for range n {
		c.Take(beyond)
	}
}
