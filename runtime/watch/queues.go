// This file counts and logs the executions of queues.

package watch

import (
	"context"
	"log/slog"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// queueUse is the use of the queue of one action.
type queueUse struct {
	effect.QueueUsage
	active  int  // executions of the run under way
	limited bool // it has a limit, or policies
}

// WatchQueues returns queues that count and log, and are q otherwise.
func (w *Run) WatchQueues(q effect.Queues) effect.Queues { return &queues{q, w} }

// queues are the queues of a run.
type queues struct {
	effect.Queues
	of *Run
}

// Action implements effect.Queues.
func (q *queues) Action(name string) effect.Action {
	a := q.Queues.Action(name)
	if a == nil {
		return nil
	}
	return &action{a, q.of, q.of.queue(name, a.Bounds() != "")}
}

// queue returns the use of a queue.
func (w *Run) queue(name string, limited bool) *queueUse {
	w.mu.Lock()
	defer w.mu.Unlock()
	u := w.queues[name]
	if u == nil {
		if w.queues == nil {
			w.queues = make(map[string]*queueUse)
		}
		u = &queueUse{QueueUsage: effect.QueueUsage{Action: name}}
		w.queues[name] = u
	}
	u.limited = u.limited || limited
	return u
}

// action is the queue of one action.
type action struct {
	effect.Action
	of  *Run
	use *queueUse // guarded by the mutex of the Run
}

// Start implements effect.Action.
func (a *action) Start(ctx context.Context, e *effect.Execution) (effect.Wait, error) {
	w := a.of
	if w.follows() {
		ctx = effect.WithBegun(ctx, func(b effect.Begun) {
			w.began(e.ID, b)
			w.tell("wait begun", slog.String("tool", b.Key), slog.String("call", e.Name),
				slog.String("for", string(b.Kind)), slog.Int("place", b.Ahead+1))
		})
	}
	wait, err := a.Action.Start(ctx, e)
	w.mu.Lock()
	u := a.use
	u.limited = u.limited || e.Most > 0
	if wait.Kind != "" {
		waited(&u.Waits, &u.Wait, &u.Longest, wait.Duration)
		u.Deepest = max(u.Deepest, wait.Ahead+1)
	}
	if err != nil {
		u.Refused++
	} else {
		u.Started++
		u.active++
		u.AtOnce = max(u.AtOnce, u.active)
	}
	w.mu.Unlock()
	if w.log != nil {
		who := []slog.Attr{slog.String("tool", u.Action), slog.String("call", e.Name)}
		if wait.Kind != "" {
			w.tellEnded(wait, who...)
		}
		if err != nil {
			w.tell("queue refused", append(who, slog.String("error", err.Error()))...)
		}
	}
	if wait.Kind != "" {
		w.ended(e.ID, wait)
	}
	return wait, err
}

// Leave implements effect.Action.
func (a *action) Leave(execution string, how effect.Ending) error {
	a.of.mu.Lock()
	a.use.active--
	a.of.mu.Unlock()
	return a.Action.Leave(execution, how)
}
