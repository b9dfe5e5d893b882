// This file defines runs that wait for approvals, answers and outcomes from outside.

package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store"
)

// DefaultLinger is the default of Options.Linger: a person who follows a run answers within it.
const DefaultLinger = time.Minute

// waiting is the set of pending effects of a live run.
type waiting struct {
	pending ptc.Pending
	room    chan struct{} // gets a value when others need the room of the run
	keeping chan struct{} // has a value while the store is told of the state, which takes as long as its disk is full
	shown   bool          // the store has the run as waiting; for the holder of keeping

	mu      sync.Mutex
	asking  bool          // everything in the run waits
	changed chan struct{} // closed when something is settled
}

// signal returns the channel that is closed when something is settled.
func (w *waiting) signal() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changed == nil {
		w.changed = make(chan struct{})
	}
	return w.changed
}

// pend is ptc.RunOptions.OnPending. It keeps the run alive for a time, in which it can be settled, and parks it then
// or when others need its room.
func (l *live) pend(e *Engine) func(context.Context, []effect.Pending) ([]effect.Settlement, error) {
	return func(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error) {
		if !l.asks(ctx, e) || slices.ContainsFunc(all, doubt) {
			return nil, nil // it continues, or another node asks; or nobody can tell soon
		}
		changed := l.wait.signal()
		if err := l.show(e, true); err != nil {
			return nil, err
		}
		linger := time.NewTimer(e.opts.Linger)
		defer linger.Stop()
		select {
		case <-changed:
		case <-ctx.Done():
			if l.ctx.Err() != nil {
				return nil, nil // the run has ended
			}
		case <-linger.C:
			l.asks(ctx, e)
			return nil, nil
		case <-l.wait.room:
			return nil, nil
		case <-e.quiet:
			return nil, nil
		case <-l.quiet:
			return nil, nil
		}
		return nil, l.show(e, false)
	}
}

func doubt(p effect.Pending) bool { return p.Kind == effect.PendingDoubt }

// show notes whether everything in the run waits, and makes its state durable: waiting while it does.
func (l *live) show(e *Engine, asking bool) error {
	l.wait.keeping <- struct{}{}
	defer func() { <-l.wait.keeping }()
	l.wait.mu.Lock()
	l.wait.asking = asking
	l.wait.mu.Unlock()
	return l.keep(e.lasting)
}

// keep makes the state of the run durable. The caller holds keeping.
func (l *live) keep(update func(string, func(*store.Run) error) (store.Run, error)) error {
	l.wait.mu.Lock()
	asking := l.wait.asking
	l.wait.mu.Unlock()
	state := store.Running
	if asking && len(l.pending()) > 0 {
		state = store.Waiting
	} else if !l.wait.shown {
		return nil
	}
	_, err := update(l.id, func(r *store.Run) error {
		r.State, r.Pending = state, l.pending()
		return nil
	})
	if err == nil {
		l.wait.shown = state == store.Waiting
	}
	return err
}

// keepWithin is the time for which a settlement waits until the store has the state of its run.
const keepWithin = time.Second

// showSettled wakes the run after settlements, and makes its state durable. If the store can't keep it now, the run
// does so when it can: its journal has the settlements.
func (l *live) showSettled(e *Engine) error {
	l.wait.settled()
	select {
	case l.wait.keeping <- struct{}{}:
		defer func() { <-l.wait.keeping }()
	case <-time.After(keepWithin):
		return nil
	}
	err := l.keep(func(id string, change func(*store.Run) error) (store.Run, error) {
		return e.update(e.kept, id, change)
	})
	var known *store.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	e.log.Warn("the store can't keep that effects are settled, which their journal has", "run", l.id, "error", err)
	return nil
}

// Settle settles pending effects of a run, and returns the run. The settlements are durable when Settle returns. A run
// that was parked continues; a run with writes in doubt continues when all of them are settled. A
// settlement that does not fit is an error of code invalid, and a settlement of an effect that is already
// settled, or not pending, of code not-pending. The error of an approval that the submitter must not give
// is ErrOwnApproval, and none of the settlements holds. The settlements before it hold if the run lives;
// otherwise none does.
func (e *Engine) Settle(ctx context.Context, id string, all []effect.Settlement, who access.Who) (store.Run, error) {
	if len(all) == 0 {
		return store.Run{}, ErrInvalid.With("got no settlements, want at least one")
	}
	approves := func(s effect.Settlement) bool { return s.As == effect.Approve }
	if e.opts.FourEyes && slices.ContainsFunc(all, approves) {
		run, err := e.opts.Store.Get(ctx, id)
		if err != nil {
			return store.Run{}, err
		}
		if run.By == who.Name {
			return store.Run{}, ErrOwnApproval
		}
	}
	e.mu.Lock()
	l := e.live[id]
	e.mu.Unlock()
	if l == nil {
		if node := e.elsewhere(id); node != "" {
			return e.opts.Nodes.Settle(ctx, node, id, all, who)
		}
		return e.settleParked(ctx, id, all, who)
	}
	l.forgetUnkept()
	for {
		rest, err := l.settle(e, all)
		if err != nil {
			return store.Run{}, err
		}
		if len(rest) == 0 {
			return e.Get(ctx, id)
		}
		all = rest
		select {
		case <-l.done: // it was parked in the meantime, or continues on another node
			return e.Settle(ctx, id, all, who)
		case err := <-l.unkept: // it has stopped, and its next state has no room
			return store.Run{}, err
		case <-time.After(settleAgain): // it has not begun
		case <-ctx.Done():
			return store.Run{}, context.Cause(ctx)
		}
	}
}

// Settled returns the effects that settlements settle, for logs: ID=VERDICT, without reasons, results and failures.
func Settled(all []effect.Settlement) string {
	words := make([]string, 0, len(all))
	for _, s := range all {
		words = append(words, fmt.Sprintf("%.100s=%.20s", s.ID, s.As))
	}
	return strings.Join(words, " ")
}

// settleAgain is the time between attempts to settle effects of a run that is only beginning.
const settleAgain = 10 * time.Millisecond

// settle settles effects of a live run. It returns the settlements that it has not made because the run has stopped.
func (l *live) settle(e *Engine, all []effect.Settlement) (rest []effect.Settlement, err error) {
	n := 0
	for err == nil && n < len(all) {
		if err = l.settleOne(all[n]); err == nil {
			n++
		}
	}
	if n > 0 {
		if serr := l.showSettled(e); serr != nil {
			return nil, serr
		}
	}
	switch {
	case err == nil, errors.Is(err, effect.ErrRunOver):
		return all[n:], nil
	case errors.Is(err, effect.ErrSettled), errors.Is(err, effect.ErrNotPending):
		return nil, ErrNotPending.With("%w", err)
	}
	return nil, ErrInvalid.With("%w", err)
}

// settleOne makes a settlement. One of a tool settles its pending calls on all nodes.
func (l *live) settleOne(s effect.Settlement) error {
	found := false
	if s.OfTool() {
		for _, p := range l.pending() {
			if !s.Names(p) {
				continue
			}
			found = true
			one := s
			one.ID = p.ID
			if err := l.wait.pending.Settle(one); err != nil && !errors.Is(err, effect.ErrSettled) {
				return err
			}
		}
	}
	if found {
		return nil
	}
	return l.wait.pending.Settle(s)
}

// settled wakes the waiters for settlements.
func (w *waiting) settled() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changed != nil {
		close(w.changed)
		w.changed = nil
	}
}

// settleParked keeps settlements for a run that does not run, and queues it.
func (e *Engine) settleParked(ctx context.Context, id string, all []effect.Settlement,
	who access.Who) (store.Run, error) {
	begun := false
	run, err := e.update(ctx, id, func(r *store.Run) error {
		if r.State != store.Parked && r.State != store.InDoubt {
			return store.ErrTransition.With("run %s is %s, and waits for nothing", id, r.State)
		}
		ofTool := func(s effect.Settlement) int {
			if slices.ContainsFunc(r.Pending, func(p effect.Pending) bool { return p.ID == s.ID }) {
				return 0 // a settlement of one effect precedes those of tools
			}
			return 1
		}
		before := slices.Clone(all)
		slices.SortStableFunc(before, func(a, b effect.Settlement) int { return ofTool(a) - ofTool(b) })
		for _, s := range before {
			if err := e.accept(r, s); err != nil {
				return err
			}
		}
		if begun = !slices.ContainsFunc(r.Pending, doubt); begun {
			r.State, r.Reason, r.Wake = store.Queued, "settled by "+who.Name, time.Time{}
		}
		return nil
	})
	if err != nil || !begun {
		return run, err
	}
	e.requeue(run)
	return run, nil
}

// accept moves the effects of a settlement from the pending effects of a run to its settlements. A
// settlement of a tool becomes one of each effect, because the run may make further calls of the tool.
func (e *Engine) accept(r *store.Run, s effect.Settlement) error {
	var left []effect.Pending
	settled := slices.Clone(r.Settled)
	limits := e.opts.Run.Limits
	most := r.Limits.Or(limits).Within(limits).CallResult
	for i := range r.Pending {
		p := &r.Pending[i]
		if !s.Names(*p) {
			left = append(left, *p)
			continue
		}
		if err := p.Fit(s, e.tool(p.Tool), most); err != nil {
			return ErrInvalid.With("%w", err)
		}
		one := s
		one.ID = p.ID
		settled = append(settled, store.Settled{Settlement: one, Kind: p.Kind, Since: p.Since})
	}
	if len(settled) == len(r.Settled) {
		return ErrNotPending.With("%.100q of run %s is not pending", s.ID, r.ID)
	}
	r.Pending, r.Settled = left, settled
	return nil
}

// tool returns a tool; nil if there is none of the name.
func (e *Engine) tool(name string) effect.Tool {
	if e.opts.Run.Tools == nil || name == "" {
		return nil
	}
	if t := e.opts.Run.Tools.Lookup(name); t != nil {
		return t
	}
	return nil
}

// unsettled returns the settlements of a run that its journal does not have yet. Settlements that the
// journal has could be wrong for later attempts of the same effects.
func (e *Engine) unsettled(run *store.Run, place journal.Place) ([]effect.Settlement, error) {
	if len(run.Settled) == 0 {
		return nil, nil
	}
	r, err := place.Open(e.kept)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	rec, err := journal.Read(r, e.opts.Key)
	if err != nil {
		return nil, err
	}
	var left []effect.Settlement
	pending := rec.Pending()
	for _, s := range run.Settled {
		if slices.ContainsFunc(pending, s.Of) {
			left = append(left, s.Settlement)
		}
	}
	return left, nil
}

// needRoom parks the runs that wait, because others could run in their room. The caller holds the lock.
func (e *Engine) needRoom() {
	for _, l := range e.live {
		select {
		case l.wait.room <- struct{}{}:
		default:
		}
	}
}
