// This file defines the Scheduler of a cluster, which is on one node at a time.

package schedule

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/serve"
)

// Elected has a Scheduler while its node is the one that runs the schedules. The zero value has none. It is a Source.
//
// The next node reads the documents, and the runs whose times the documents do not have, from the store. Each time has
// a run of one key, so it is submitted once, whichever nodes have tried.
type Elected struct{ now atomic.Pointer[Scheduler] }

// Scheduler implements Source. The error is serve.ErrUnavailable: another node runs the schedules, or is about to.
func (e *Elected) Scheduler() (*Scheduler, error) {
	if s := e.now.Load(); s != nil {
		return s, nil
	}
	return nil, errMoves
}

// Run makes the Scheduler with begin, and closes it when ctx ends: no time is submitted after Run has returned.
func (e *Elected) Run(ctx context.Context, begin func(context.Context) (*Scheduler, error), log *slog.Logger) {
	for ctx.Err() == nil {
		s, err := begin(ctx)
		if err == nil {
			e.now.Store(s)
			<-ctx.Done()
			e.now.Store(nil)
			s.Close()
			return
		}
		log.Warn("the schedules can't be read; trying again", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(tryAgain):
		}
	}
}

// errMoves is the error of a node that does not run the schedules.
var errMoves = serve.ErrUnavailable.With("another node of the cluster is about to run the schedules; try again")
