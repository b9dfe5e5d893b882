// This file defines the clock of a journal.

package journal

import (
	"time"
)

// clock measures the time since the run began. It reads the wall clock once: reading only the
// monotonic clock takes half the time, and does not jump.
type clock struct {
	now    func() time.Time // of the options, nil for the machine's
	opened time.Time        // when the journal was
	start  time.Time        // of the run
	before time.Duration    // from start to opened
}

func newClock(now func() time.Time) clock {
	c := clock{now: now}
	if now == nil {
		c.opened = time.Now()
	} else {
		c.opened = now()
	}
	c.start = c.opened
	return c
}

// countFrom sets the start of the run, which may have been in another process.
func (c *clock) countFrom(start time.Time) {
	c.start, c.before = start, c.opened.Sub(start)
}

// at returns the time from the start of the run to a moment.
func (c *clock) at(moment time.Time) time.Duration { return c.before + moment.Sub(c.opened) }

// Elapsed returns the time since the run began, in an earlier process if it is resumed.
func (j *Journal) Elapsed() time.Duration {
	j.ready()
	return j.clock.elapsed()
}

func (c *clock) elapsed() time.Duration {
	if c.now == nil {
		return c.before + time.Since(c.opened)
	}
	return c.before + c.now().Sub(c.opened)
}
