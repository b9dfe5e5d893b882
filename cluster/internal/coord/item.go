// This file defines how the coordinator handles the requests of nodes.

package coord

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// endCancelled is how an execution ends whose node is gone.
const endCancelled = effect.EndCancelled

// item is a request of a node that waits or has been granted.
type item struct {
	s      *session
	op     op
	number uint64 // of its arrival
	cancel context.CancelFunc
	idle   atomic.Int64 // of the run of an execution, in nanoseconds
	name   string       // of an execution in its queue; "" for other requests

	// The mutex of the term guards the following fields.
	owner    *owner
	launched bool
	ended    chan struct{} // closed when the wait is over
	held     effect.Held   // of guards that were granted
	active   bool          // an execution that may run
	gone     bool          // the node wants it no more
}

// handle does the operations of a batch.
func (t *term) handle(s *session, ops []op) error {
	for i := range ops {
		if err := t.do(s, &ops[i]); err != nil {
			return err
		}
	}
	return nil
}

// do does an operation.
func (t *term) do(s *session, o *op) error {
	switch o.Kind {
	case opAcquire, opStart, opAdmit:
		return t.request(s, o)
	case opHold, opActive:
		t.assert(s, o)
	case opAsserted:
		t.mu.Lock()
		s.asserted = true
		delete(t.expected, s.name)
		t.mu.Unlock()
		t.recovered()
	case opRelease, opLeave:
		if it := t.remove(s, o.ID); it != nil {
			it.leave(t, o.How)
		}
	case opAbandon:
		t.mu.Lock()
		var held effect.Held
		if it := s.items[o.ID]; it != nil {
			held = it.held
		}
		t.mu.Unlock()
		if held != nil {
			held.Abandon(o.Call)
		}
	case opPause:
		t.changed(s, o, t.guards.Pause(o.Key, time.Now().Add(o.For)))
	case opSlow:
		t.changed(s, o, t.guards.Slow(o.Key, o.PerSecond, time.Now().Add(o.For)))
	case opIdle:
		t.mu.Lock()
		it := s.items[o.ID]
		t.mu.Unlock()
		if it != nil {
			it.idle.Store(int64(o.For))
		}
	default:
		return fmt.Errorf("got the operation %.40q, want one that this version has", o.Kind)
	}
	return nil
}

// changed notes that the rate of a limit was not changed. The node does not wait for that.
func (t *term) changed(s *session, o *op, err error) {
	if err != nil {
		t.node.log.Warn("a rate limit was not changed", "node", s.node, "operation", o.Kind, "error", err)
	}
}

func (t *term) remove(s *session, id uint64) *item {
	t.mu.Lock()
	defer t.mu.Unlock()
	it := s.items[id]
	delete(s.items, id)
	return it
}

// request begins a request. It returns when the request has its place among the waiters, or has ended.
func (t *term) request(s *session, o *op) error {
	if o.Kind != opAcquire && (o.Action == "" || o.Kind == opStart && o.Execution == nil) {
		return fmt.Errorf("got the operation %s without an action or an execution, want both", o.Kind)
	}
	it := &item{s: s, op: *o, number: o.Number, ended: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.ctx)
	if o.Left > 0 {
		ctx, cancel = context.WithTimeout(t.ctx, o.Left)
	}
	it.cancel = cancel
	t.mu.Lock()
	if s.over || s.items[o.ID] != nil {
		t.mu.Unlock()
		cancel()
		return nil
	}
	if it.number == 0 {
		t.arrivals++
		it.number = t.number<<termBits | t.arrivals
	}
	s.items[o.ID] = it
	s.requests++
	t.rename(it)
	it.owner = t.owners.take(s.name, o.Owner)
	if t.recovering {
		t.parked = append(t.parked, parked{ctx, it})
		t.mu.Unlock()
		s.emit(event{Kind: eventWaits, ID: o.ID, Number: it.number})
		return nil
	}
	t.mu.Unlock()
	t.launch(ctx, it)
	return nil
}

// rename sets the name of an execution in the queue, which is that of the node unless another one has it: a call that
// is made again after the death of its node has the name of the previous one, which is under way until the session of
// that node is over. The caller holds mu.
func (t *term) rename(it *item) {
	e := it.op.Execution
	if e == nil {
		return
	}
	it.name = e.Name
	if t.names[place{it.op.Action, it.name}] {
		it.name += "/" + it.s.name
	}
	t.names[place{it.op.Action, it.name}] = true
}

// drop ends the use of an owner and a name by a request. The caller holds mu.
func (t *term) drop(it *item) {
	t.owners.drop(it.owner)
	delete(t.names, place{it.op.Action, it.name})
}

// parked is a request that waits until the guards of the last term are asserted.
type parked struct {
	ctx context.Context
	*item
}

// launch makes a request wait. It returns when the request has its place, or is over.
func (t *term) launch(ctx context.Context, it *item) {
	t.mu.Lock()
	if it.gone {
		t.mu.Unlock()
		return
	}
	it.launched = true
	t.mu.Unlock()
	placed := make(chan struct{}, 1)
	place := func() {
		select {
		case placed <- struct{}{}:
		default:
		}
	}
	ctx = effect.WithBegun(ctx, func(b effect.Begun) {
		it.s.emit(event{Kind: eventWaits, ID: it.op.ID, Number: it.number, Wait: b.Kind, Key: b.Key, Ahead: b.Ahead,
			Holder: b.Holder})
		place()
	})
	began := t.spawn(func() {
		defer place()
		it.run(ctx, t)
	})
	if began && it.op.Kind != opAdmit { // which may wait for the disk, and for nothing else
		<-placed
	}
}

// run waits for the outcome of a request.
func (it *item) run(ctx context.Context, t *term) {
	defer close(it.ended)
	defer it.cancel()
	held, err := it.try(ctx, t)
	t.mu.Lock()
	switch {
	case err != nil && t.ctx.Err() != nil: // it continues at the next coordinator
		t.mu.Unlock()
		return
	case it.gone:
		t.mu.Unlock()
		if err == nil {
			it.free(t, held, endCancelled)
		}
		t.mu.Lock()
		t.drop(it)
		t.mu.Unlock()
		return
	case err != nil || it.op.Kind == opAdmit || it.op.Kind == opAcquire && held.Fence() == 0: // nothing is held
		delete(it.s.items, it.op.ID)
		t.drop(it)
		it.gone = true
	default:
		it.held, it.active = held, it.op.Kind == opStart
		it.s.granted++
		t.grants++
	}
	t.mu.Unlock()
	if err != nil {
		it.s.emit(event{Kind: eventRefused, ID: it.op.ID, Error: faultOf(err)})
		return
	}
	it.s.emit(event{Kind: eventGranted, ID: it.op.ID, Number: it.number, Fence: t.fence(held)})
}

// try makes the request of the sets of this process.
func (it *item) try(ctx context.Context, t *term) (effect.Held, error) {
	var rester effect.Rester
	if it.op.Rests {
		rester = it
	}
	switch it.op.Kind {
	case opAdmit:
		return nil, t.queues.Action(it.op.Action).Admit(ctx)
	case opStart:
		e := *it.op.Execution
		e.Name, e.Rester, e.Idle = it.name, rester, func() time.Duration { return time.Duration(it.idle.Load()) }
		_, err := t.queues.Action(it.op.Action).Start(ctx, &e)
		return nil, err
	}
	r := &effect.GuardRequest{Hint: it.op.Hint, Host: it.op.Host, ID: it.op.Effect, Tool: it.op.Tool, Rester: rester}
	if it.owner != nil {
		r.Owner = it.owner.Owner
	}
	return t.guards.Acquire(ctx, r)
}

// Rest implements effect.Rester.
func (it *item) Rest() { it.s.emit(event{Kind: eventRest, ID: it.op.ID}) }

// Wake implements effect.Rester.
func (it *item) Wake() { it.s.emit(event{Kind: eventWake, ID: it.op.ID}) }

// fence returns the fence of guards: it grows from grant to grant, over all terms.
func (t *term) fence(held effect.Held) uint64 {
	if held == nil || held.Fence() == 0 {
		return 0
	}
	return t.number<<termBits | held.Fence()
}

// leave ends a request that was removed from its session: it stops waiting, and its guard, if it holds one,
// becomes free.
func (it *item) leave(t *term, how effect.Ending) {
	t.mu.Lock()
	waits := it.launched && it.held == nil && !it.active
	if it.gone {
		t.mu.Unlock()
		return
	}
	it.gone = true
	t.mu.Unlock()
	if it.cancel != nil {
		it.cancel()
	}
	if waits {
		<-it.ended // an owner may begin another wait only then
		return
	}
	if it.held != nil || it.active {
		it.free(t, it.held, how)
	}
	t.mu.Lock()
	t.drop(it)
	t.mu.Unlock()
}

// free releases a granted resource.
func (it *item) free(t *term, held effect.Held, how effect.Ending) {
	var err error
	switch {
	case held != nil:
		err = held.Release()
	case it.op.Kind == opStart || it.op.Kind == opActive:
		err = t.queues.Action(it.op.Action).Leave(it.name, how)
	}
	if err != nil {
		t.node.log.Error("a guard or slot of a node was not released", "node", it.s.node, "error", err)
	}
}

// ended is a context that has ended: with it, a free guard can be taken, but nothing waits.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// assert restores a guard that a node held under an earlier coordinator. If the time for assertions is
// over, or the guard is held, the node has lost it.
func (t *term) assert(s *session, o *op) {
	it := &item{s: s, op: *o, ended: make(chan struct{})}
	close(it.ended)
	t.mu.Lock()
	may := t.recovering && !t.closing && !s.over && s.items[o.ID] == nil && t.leads()
	if may {
		it.owner = t.owners.take(s.name, o.Owner)
		t.rename(it)
	}
	t.mu.Unlock()
	err := errors.New("the time to assert it is over")
	if may && o.Kind == opActive {
		if it.active = o.Execution != nil; it.active {
			e := *o.Execution
			e.Name = it.name
			_, err = t.queues.Action(o.Action).Start(t.ctx, &e)
		}
	} else if may {
		r := &effect.GuardRequest{Hint: o.Hint, Host: o.Host, ID: o.Effect, Tool: o.Tool}
		r.Hint = effect.Hint{Kind: o.Hint.Kind &^ effect.RateLimited}
		if it.owner != nil {
			r.Owner = it.owner.Owner
		}
		it.held, err = t.guards.Acquire(ended, r)
		if err == nil && o.Call != "" {
			it.held.Abandon(o.Call)
		}
	}
	t.mu.Lock()
	if err == nil && !s.over {
		s.items[o.ID] = it
		t.mu.Unlock()
		return
	}
	if may {
		t.drop(it)
	}
	t.mu.Unlock()
	if err == nil {
		it.free(t, it.held, endCancelled)
	}
	if o.Kind == opHold {
		s.emit(event{Kind: eventLost, ID: o.ID})
	}
}

// recovered lets the requests of nodes begin, if all that was held in the last term is asserted or lost.
func (t *term) recovered() {
	t.mu.Lock()
	for _, s := range t.sessions {
		if !s.asserted && !s.over {
			t.mu.Unlock()
			return
		}
	}
	if !t.recovering || t.closing || len(t.expected) > 0 && time.Since(t.elected) < t.node.lease {
		t.mu.Unlock()
		return
	}
	t.closing = true
	expired := t.expected
	t.expected = make(map[string]string)
	if t.base == 0 {
		t.base = time.Duration(time.Now().UnixNano()) - time.Since(t.elected)
	}
	t.mu.Unlock()
	for name, node := range expired {
		t.spawn(func() { t.forget(node, name) })
	}
	t.applyPolicies()
	t.spawn(t.unpark)
}

// unpark lets the requests that came while guards were asserted begin, in the order of their arrival.
func (t *term) unpark() {
	for {
		t.mu.Lock()
		all := t.parked
		t.parked = nil
		if t.recovering = len(all) > 0; !t.recovering {
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
		slices.SortStableFunc(all, func(a, b parked) int {
			if a.number < b.number {
				return -1
			}
			return 1
		})
		for _, p := range all {
			t.launch(p.ctx, p.item)
		}
	}
}
