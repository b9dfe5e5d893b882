// This file defines how the engine of a node hands its runs over to other nodes, and continues.

package serve

import (
	"context"
	"time"
)

// awayPoll is the time between two looks at the runs that are to go to other nodes.
const awayPoll = 20 * time.Millisecond

// Away hands the placed runs over until ctx ends: no call of them begins any more, each is interrupted as soon as no
// write of it is under way, and its lead is returned. Runs that wait for people are parked. Runs that are taken
// meanwhile are returned. When ctx ends, Away waits for the runs whose calls it has held back. Requests, sessions and
// the runs of other nodes are served as before.
func (e *Engine) Away(ctx context.Context) {
	e.setAway(true)
	held := make(map[*live]bool)
	poll := time.NewTicker(awayPoll)
	defer poll.Stop()
	for ended := false; ; {
		if e.handOver(held, !ended); ended && len(held) == 0 {
			break
		}
		select {
		case <-poll.C:
		case <-e.ctx.Done():
			return
		}
		if !ended && ctx.Err() != nil {
			ended = true
			e.setAway(false)
		}
	}
	if e.opts.Placement != nil {
		e.opts.Placement.Free()
	}
}

func (e *Engine) setAway(on bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.away = on
}

func (e *Engine) isAway() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.away
}

// handOver interrupts the runs whose calls are held back and that have no write under way. With more it
// also holds back the calls of runs that have begun since. held has the runs that have not stopped yet.
func (e *Engine) handOver(held map[*live]bool, more bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, l := range e.live {
		if more && l.ticket.lead != nil && !held[l] {
			held[l] = true
			close(l.quiet)
		}
	}
	if more {
		for _, l := range e.following {
			e.leaveRun(l)
		}
	}
	for l := range held {
		switch {
		case e.live[l.id] != l:
			delete(held, l)
		case !l.writes.underWay(l.wait.pending.Now()):
			l.cancel(errAway)
		}
	}
}
