// This file defines executions that happen outside of the process.

package queue

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Externals are executions that happen outside of this process, such as jobs of another system. They pass the
// policies, wait in the queues and take places as calls of tools do, until they are completed. Waiting takes no
// goroutine. The end of the process forgets them. NewExternals makes it; it is safe for concurrent use.
type Externals struct {
	of *Enforcer

	mu    sync.Mutex
	all   map[string]*external
	ended []string       // the oldest first
	open  map[string]int // those that have not ended, by tenants
}

// External is the state of an external execution.
type External struct {
	ID       string          `json:"id"`
	Action   string          `json:"action"`
	Tenant   string          `json:"tenant,omitempty"` // whose it is
	Priority effect.Priority `json:"priority"`
	State    State           `json:"state"`
	Ending   *effect.Ending  `json:"ending,omitempty"` // of one that has ended
	Error    string          `json:"error,omitempty"`  // why one that has ended never started
	Until    time.Time       `json:"until,omitzero"`   // when it ends as timed out
}

// Ended is the state of an external execution that is neither under way nor waiting.
const Ended State = "ended"

const (
	// DefaultLease is the time after which an external execution ends by itself.
	DefaultLease = time.Hour
	// MaxLease is the longest such time.
	MaxLease = 30 * 24 * time.Hour
	// keptEnded is the number of ended external executions whose state is kept.
	keptEnded = 1_000
	// maxExternals bounds the memory of those that wait or are under way, at some 500 bytes each, and maxOfTenant keeps
	// room for other tenants.
	maxExternals = 100_000
	maxOfTenant  = 10_000
)

// external is an external execution. The mutex of Externals guards it.
type external struct {
	External
	about effect.Execution
	line  *line
	wait  *waiter // nil if it could start at once
	timer *time.Timer
	done  bool
}

// ErrNoExternal is the error for an external execution that does not exist, or has ended too long ago.
var ErrNoExternal = errors.New("queue: there is no such external execution")

// NewExternals returns the external executions behind the policies and queues of an enforcer.
// e is not nil.
func NewExternals(e *Enforcer) *Externals {
	return &Externals{of: e, all: make(map[string]*external), open: make(map[string]int)}
}

// Begin adds an execution of an action for a tenant, and returns its state: Active, or Waiting if it has to wait for
// its turn. Its Name is chosen. It ends as timed out after the lease, which counts from now; 0 is DefaultLease. The
// error is a *Violation or an *Uncounted of the policies, a *Full of the queue, or that of a bad argument.
func (x *Externals) Begin(ctx context.Context, action, tenant string, e effect.Execution,
	lease time.Duration) (External, error) {
	if lease == 0 {
		lease = DefaultLease
	}
	if x.of == nil {
		return External{}, errors.New("queue: Begin of the zero Externals, want one of NewExternals")
	}
	if lease < 0 || lease > MaxLease || !e.Priority.Valid() || action == "" {
		return External{}, fmt.Errorf("queue: got an execution of %q with the priority %s for %s, want an action, one of "+
			"high, normal and low, and a time of at most %s", action, e.Priority, lease, MaxLease)
	}
	a := x.of.Action(action).(*Action)
	x.mu.Lock()
	defer x.mu.Unlock() // also while the call is counted, so that the order is that of the calls of Begin
	if len(x.all)-len(x.ended) >= maxExternals || x.open[tenant] >= maxOfTenant {
		return External{}, &Full{Action: action, Priority: e.Priority, Waiting: len(x.all) - len(x.ended)}
	}
	if err := a.Admit(ctx); err != nil {
		return External{}, err
	}
	id := rand.Text()
	p := &external{about: e, External: External{ID: id, Action: action, Tenant: tenant, Priority: e.Priority,
		Until: time.Now().Add(lease)}}
	p.about.Name, p.about.At = "external/"+id, time.Now()
	limit := limits{a.now().concurrency, e.Most}
	if e.Most <= 0 {
		limit.own = NoLimit
	}
	if err := x.of.Queues().mayEnter(ctx, action, p.about.Name, limit); err != nil {
		return External{}, err
	}
	p.line = a.open()
	var err error
	if p.wait, err = p.line.arrive(p.about.Name, &p.about, limit); err != nil {
		return External{}, err
	}
	p.timer = time.AfterFunc(lease, func() { _, _ = x.Complete(id, effect.EndTimedOut) })
	x.all[id] = p
	x.open[tenant]++
	return x.look(p), nil
}

// look returns the state of an execution. The caller holds mu.
func (x *Externals) look(p *external) External {
	switch {
	case p.done:
	case p.wait == nil || p.wait.out() && p.wait.err == nil:
		p.State = Active
	case p.wait.out():
		p.Error = p.wait.err.Error()
		how := effect.EndCancelled
		if errors.As(p.wait.err, new(*TimedOut)) {
			how = effect.EndTimedOut
		}
		x.end(p, how)
	default:
		p.State = Waiting
	}
	return p.External
}

// end makes an execution one that has ended. The caller holds mu.
func (x *Externals) end(p *external, how effect.Ending) {
	p.done, p.State, p.Ending = true, Ended, &how
	p.timer.Stop()
	if x.open[p.Tenant]--; x.open[p.Tenant] == 0 {
		delete(x.open, p.Tenant)
	}
	x.ended = append(x.ended, p.ID)
	if len(x.ended) > keptEnded {
		delete(x.all, x.ended[0])
		x.ended = x.ended[1:]
	}
}

// Get returns the state of an execution. The error is ErrNoExternal.
func (x *Externals) Get(id string) (External, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := x.all[id]
	if p == nil {
		return External{}, ErrNoExternal
	}
	return x.look(p), nil
}

// Wait returns the state of an execution as soon as it no longer waits, or when ctx ends, which is no error. The error
// is ErrNoExternal.
func (x *Externals) Wait(ctx context.Context, id string) (External, error) {
	x.mu.Lock()
	p := x.all[id]
	x.mu.Unlock()
	if p != nil && p.wait != nil {
		p.wait.wait(ctx)
	}
	return x.Get(id)
}

// Complete ends an execution that is under way, and so lets the next one start. One that waits can only be cancelled or
// time out. It returns the state. The error is ErrNoExternal, or a *NotActive for one that has ended or still waits.
func (x *Externals) Complete(id string, how effect.Ending) (External, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := x.all[id]
	if p == nil {
		return External{}, ErrNoExternal
	}
	name := p.about.Name
	state := x.look(p).State
	if state == Waiting && (how == effect.EndCancelled || how == effect.EndTimedOut) {
		p.line.cancel(name)
		if state = x.look(p).State; state == Ended { // it has not started at this moment
			*p.Ending, p.Error = how, ""
			return p.External, nil
		}
	}
	if state != Active || !p.line.complete(name, how) {
		return p.External, &NotActive{p.Action, name}
	}
	x.end(p, how)
	return p.External, nil
}
