// This file defines the queue of runs.

package serve

import (
	"slices"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/store"
)

// laneStrides are the distances between the starts of a lane, by priority: while all lanes have runs, of 21 starts 16
// are of the first lane, 4 of the second and 1 of the third.
var laneStrides = [len(effect.Priorities)]int64{1, 4, 16}

// lane returns the lane of a run.
func lane(run *store.Run) int { return int(run.Priority - effect.HighPriority) }

// ticket is a run in the queue, as admission sees it.
type ticket struct {
	run     store.Run // brief
	bound   int64
	watched *time.Timer   // ends the time for which a suspect runs alone
	lead    Lead          // of a placed run; nil without a Placement
	release func()        // of its lead, see Lead.Hold
	late    time.Duration // its deadline; 0 for none
}

func newTicket(run store.Run, most limits.Limits) *ticket {
	return &ticket{run: run.Brief(), bound: bound(run.Limits.Or(most).Within(most))}
}

// taken is the decision about the next run in the queue.
type taken uint8

const (
	started  taken = iota
	skipped        // its owner has no share left, or it is a suspect and another one runs
	tooLarge       // for the room that there is
)

// lanes is the queue: first in, first out in each lane.
type lanes struct {
	of   [len(laneStrides)][]*ticket
	pass [len(laneStrides)]int64 // where the next start of a lane is
}

func (q *lanes) len() int {
	n := 0
	for _, l := range q.of {
		n += len(l)
	}
	return n
}

// push adds a run at the end of its lane. A lane that was empty has saved no starts.
func (q *lanes) push(t *ticket) {
	i := lane(&t.run)
	if len(q.of[i]) == 0 {
		if q.len() == 0 {
			q.pass = [len(laneStrides)]int64{}
		}
		for k := range q.of {
			if len(q.of[k]) > 0 {
				q.pass[i] = max(q.pass[i], q.pass[k])
			}
		}
	}
	q.of[i] = append(q.of[i], t)
}

// next removes and returns the run to start next: the first of the lane whose turn it is that may start. A run that it
// skips is overtaken, and one that is too large stops the search: no other may overtake it.
func (q *lanes) next(may func(*ticket) taken) (*ticket, bool) {
	order := []int{0, 1, 2}
	slices.SortStableFunc(order, func(a, b int) int { return int(q.pass[a] - q.pass[b]) })
	for _, lane := range order {
		for i := range q.of[lane] {
			t := q.of[lane][i]
			switch may(t) {
			case tooLarge:
				return nil, false
			case skipped:
				continue
			}
			q.of[lane] = slices.Delete(q.of[lane], i, i+1)
			q.pass[lane] += laneStrides[lane]
			return t, true
		}
	}
	return nil, false
}

// remove removes a run.
func (q *lanes) remove(id string) (*ticket, bool) {
	for lane := range q.of {
		i := slices.IndexFunc(q.of[lane], func(t *ticket) bool { return t.run.ID == id })
		if i >= 0 {
			t := q.of[lane][i]
			q.of[lane] = slices.Delete(q.of[lane], i, i+1)
			return t, true
		}
	}
	return nil, false
}
