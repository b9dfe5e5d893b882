// This file defines the guards of the cluster as the runs of a node use them.

package coord

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
)

// Guards are the guards that the runs of all nodes share. It is the effect.Guards of a node. A held guard
// can be lost: see the package comment.
type Guards struct{ client *client }

var _ effect.Guards = (*Guards)(nil)

// Owner is an evaluation in whose name guards are taken. Guards.Owner makes it.
type Owner struct {
	parent    *Owner
	id        uint64
	run, path string
}

// String returns the path.
func (o *Owner) String() string { return o.path }

// chain returns the owner after those above it.
func (o *Owner) chain() []link {
	if o == nil {
		return nil
	}
	return append(o.parent.chain(), link{o.id, o.run, o.path})
}

// Owner implements effect.Guards. Evaluations of one run on several nodes are the same if run and path are, and run is
// not "".
func (g *Guards) Owner(parent effect.Owner, run, path string) effect.Owner {
	above, _ := parent.(*Owner)
	return &Owner{parent: above, id: g.client.number(), run: run, path: path}
}

// Acquire implements effect.Guards. The errors are those of a guard.Set. While the coordinator can't be reached, a
// request waits until its context ends.
func (g *Guards) Acquire(ctx context.Context, r *effect.GuardRequest) (effect.Held, error) {
	if r != nil && r.Hint.Kind == effect.FullyParallel {
		return effect.Unguarded, nil
	}
	o, err := checked(ctx, r)
	if err != nil {
		return effect.Unguarded, &guard.Error{Code: diag.IllegalArgument, Message: err.Error()}
	}
	if ctx.Err() != nil {
		return effect.Unguarded, endedWait(ctx, names(r), "", 0)
	}
	deadline, _ := ctx.Deadline()
	began := time.Now()
	q := g.client.begin(op{Kind: opAcquire, Hint: r.Hint, Host: r.Host, Owner: o.chain(), Tool: r.Tool, Effect: r.ID},
		r.Rester, deadline)
	last, done := q.wait(ctx, r.Blocker, func(w effect.Wait) { r.Waits = append(r.Waits, w) })
	switch {
	case !done:
		return effect.Unguarded, endedWait(ctx, names(r), g.client.why(last), time.Since(began))
	case q.err != nil:
		return effect.Unguarded, q.err
	case q.fence == 0:
		return effect.Unguarded, nil
	}
	return &held{q}, nil
}

// why describes the wait of a request.
func (c *client) why(last *event) string {
	switch reach := c.reach(); {
	case reach != "":
		return ": " + reach
	case last == nil:
		return ", before the coordinator has answered"
	case last.Wait == effect.WaitToken:
		return fmt.Sprintf(", with %d ahead in the queue", last.Ahead)
	default:
		return fmt.Sprintf(", with %d ahead in the queue and %s as the holder when it began", last.Ahead, last.Holder)
	}
}

// checked returns the owner of a request, which may be nil, or an error if the request is invalid.
func checked(ctx context.Context, r *effect.GuardRequest) (*Owner, error) {
	if ctx == nil || r == nil {
		return nil, errors.New("Acquire: got a nil context or request, want both")
	}
	if err := r.Hint.Validate(); err != nil {
		return nil, err
	}
	if r.Hint.Kind&effect.HostExclusive != 0 {
		if err := effect.ValidGuardName("host-exclusive", "host", r.Host); err != nil {
			return nil, err
		}
	}
	o, _ := r.Owner.(*Owner)
	if o == nil && r.Hint.Kind&(effect.HostExclusive|effect.GlobalExclusive) != 0 {
		return nil, fmt.Errorf("%s: got a request without an Owner, want one of Guards.Owner", r.Hint.Kind)
	}
	return o, nil
}

// names names the guards of a request.
func names(r *effect.GuardRequest) string {
	what := ""
	add := func(name string) {
		if what != "" {
			what += ", "
		}
		what += name
	}
	if r.Hint.Kind&effect.GlobalExclusive != 0 {
		add("the global guard")
	}
	if r.Hint.Kind&effect.HostExclusive != 0 {
		add("host " + effect.QuoteGuard(r.Host))
	}
	if r.Hint.Kind&effect.RateLimited != 0 {
		add("rate limit " + effect.QuoteGuard(r.Hint.Key) + " (" + r.Hint.Rate() + ")")
	}
	return what
}

// wait waits until a request is granted or refused, and returns the last wait that began. done is false if the context
// has ended before. note gets the waits.
func (r *request) wait(ctx context.Context, b effect.Blocker, note func(effect.Wait)) (last *event, done bool) {
	if b != nil {
		b.Block()
		defer b.Unblock()
	}
	var began time.Time
	over := func() {
		if last != nil {
			note(effect.Wait{Kind: last.Wait, Key: last.Key, Start: began, Duration: time.Since(began), Ahead: last.Ahead})
		}
	}
	defer func() { over() }()
	for {
		r.of.mu.Lock()
		waits, now := r.waits, r.state
		r.waits = nil
		r.of.mu.Unlock()
		for _, w := range waits {
			if last != nil && last.Wait == w.Wait {
				continue // after another coordinator was elected
			}
			over()
			last, began = &w, time.Now()
			effect.BeginWait(ctx, effect.Begun{Kind: w.Wait, Key: w.Key, Ahead: w.Ahead, Holder: w.Holder})
		}
		if now != waiting {
			return last, true
		}
		select {
		case <-r.news:
		case <-ctx.Done():
			if r.giveUp() {
				return last, false
			}
		}
	}
}

// held is guards that a node holds.
type held struct{ r *request }

// Release implements effect.Held. It does not wait for the coordinator: if the message is lost, the guard
// is free when the node's lease ends.
func (h *held) Release() error {
	was, first := h.r.finish(effect.Succeeded)
	what := names(&effect.GuardRequest{Hint: h.r.op.Hint, Host: h.r.op.Host})
	switch {
	case first:
		return nil
	case was == lost:
		return &guard.Error{Code: diag.IllegalState, Message: what + ": it was lost before it was released",
			Hint: "this node could not reach the coordinator of the cluster for the time of a lease"}
	}
	return &guard.Error{Code: diag.IllegalState, Message: what + ": it was released before",
		Hint: "call Release once for each Acquire"}
}

// Abandon implements effect.Held.
func (h *held) Abandon(call string) {
	c := h.r.of
	c.mu.Lock()
	defer c.mu.Unlock()
	h.r.call = call
	if c.requests[h.r.op.ID] == h.r {
		c.send(op{Kind: opAbandon, ID: h.r.op.ID, Call: call})
	}
}

// Lost implements effect.Held.
func (h *held) Lost() context.Context { return h.r.lost }

// Fence implements effect.Held. It grows from holder to holder of the same guard, over all nodes and coordinators.
func (h *held) Fence() uint64 { return h.r.fence }

// Pause implements effect.Guards. All nodes obey it. It does not wait for the coordinator.
func (g *Guards) Pause(key string, until time.Time) error {
	if err := effect.ValidGuardName("rate limit", "key", key); err != nil {
		return &guard.Error{Code: diag.IllegalArgument, Message: err.Error()}
	}
	g.client.change(opPause, g.client.pauses, key, 0, until)
	return nil
}

// Slow implements effect.Guards, as Pause.
func (g *Guards) Slow(key string, perSecond float64, until time.Time) error {
	h := effect.Hint{Kind: effect.RateLimited, Key: key, PerSecond: perSecond, Burst: 1}
	if err := h.Validate(); err != nil {
		return &guard.Error{Code: diag.IllegalArgument, Message: err.Error()}
	}
	g.client.change(opSlow, g.client.slows, key, perSecond, until)
	return nil
}

// maxChanges is the number of pauses, and of lower rates, that a node repeats to the next coordinator.
const maxChanges = 10_000

// change sends the change of a rate limit, and keeps it for the next coordinator.
func (c *client) change(kind opKind, all map[string]rateChange, key string, perSecond float64, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	span := min(until.Sub(now), guard.MaxPause)
	if span <= 0 {
		return
	}
	until = now.Add(span)
	if kind == opPause && all[key].until.After(until) {
		return // a pause never shortens a longer one
	}
	if len(all) >= maxChanges {
		for key, p := range all {
			if !p.until.After(now) {
				delete(all, key)
			}
		}
	}
	if _, known := all[key]; known || len(all) < maxChanges {
		all[key] = rateChange{until, perSecond}
	}
	c.send(op{Kind: kind, Key: key, For: span, PerSecond: perSecond})
}
