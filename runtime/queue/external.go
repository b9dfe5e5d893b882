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
// goroutine. The end of the process forgets them. NewExternals and NewExternalsOf make it; it is safe for concurrent
// use.
type Externals struct {
	gate   Gate
	prefix string // of ids

	mu    sync.Mutex
	all   map[string]*external
	ended []string       // the oldest first
	open  map[string]int // executions that have not ended, by tenant
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
	// DefaultLease is the time after which an external execution expires.
	DefaultLease = time.Hour
	// MaxLease is the longest such time.
	MaxLease = 30 * 24 * time.Hour
	// keptEnded is the number of ended external executions whose state is kept.
	keptEnded = 1_000
	// maxExternals bounds the memory of waiting and active executions, at some 500 bytes each, and maxOfTenant keeps
	// room for other tenants.
	maxExternals = 100_000
	maxOfTenant  = 10_000
)

// external is an external execution. The mutex of Externals guards it.
type external struct {
	External
	name  string // in its queue
	turn  Turn
	timer *time.Timer
	done  bool
}

// ErrNoExternal is the error for an external execution that does not exist, or has ended too long ago.
var ErrNoExternal = errors.New("queue: there is no such external execution")

// NewExternals returns the external executions behind the policies and queues of an enforcer.
// e is not nil.
func NewExternals(e *Enforcer) *Externals { return NewExternalsOf(enforced{e}, "") }

// NewExternalsOf returns the external executions behind a gate, which is not nil. Their ids begin with a prefix.
func NewExternalsOf(g Gate, prefix string) *Externals {
	return &Externals{gate: g, prefix: prefix, all: make(map[string]*external), open: make(map[string]int)}
}

// Begin adds an execution of an action for a tenant, and returns its state: Active, or Waiting if it has to wait for
// its turn. Its Name is chosen. It ends as timed out after the lease, which counts from now; 0 is DefaultLease. The
// error is a *Violation or an *Uncounted of the policies, a *Full of the queue, or that of a bad argument.
func (x *Externals) Begin(ctx context.Context, action, tenant string, e effect.Execution,
	lease time.Duration) (External, error) {
	if lease == 0 {
		lease = DefaultLease
	}
	if x.gate == nil {
		return External{}, errors.New("queue: Begin of the zero Externals, want one of NewExternals")
	}
	if lease < 0 || lease > MaxLease || !e.Priority.Valid() || action == "" {
		return External{}, fmt.Errorf("queue: got an execution of %q with the priority %s for %s, want an action, one of "+
			"high, normal and low, and a time of at most %s", action, e.Priority, lease, MaxLease)
	}
	if err := x.gate.Admit(ctx, action); err != nil {
		return External{}, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if n := len(x.all) - len(x.ended); n >= maxExternals || x.open[tenant] >= maxOfTenant {
		return External{}, &Full{Action: action, Priority: e.Priority, Waiting: n}
	}
	id := x.prefix + rand.Text()
	e.Name, e.At = "external/"+id, time.Now()
	turn, err := x.gate.Enter(ctx, action, &e)
	if err != nil {
		return External{}, err
	}
	p := &external{name: e.Name, turn: turn, External: External{ID: id, Action: action, Tenant: tenant,
		Priority: e.Priority, Until: e.At.Add(lease)}}
	p.timer = time.AfterFunc(lease, func() { _, _ = x.Complete(id, effect.EndTimedOut) })
	x.all[id] = p
	x.open[tenant]++
	return x.look(p), nil
}

// look returns the state of an execution. The caller holds mu.
func (x *Externals) look(p *external) External {
	if p.done {
		return p.External
	}
	state, err := p.turn.State()
	p.State = state
	if state == Ended {
		how := effect.EndCancelled
		if errors.As(err, new(*TimedOut)) {
			how = effect.EndTimedOut
		}
		if err != nil {
			p.Error = err.Error()
		}
		x.end(p, how)
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
	if p != nil {
		p.turn.Await(ctx)
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
	state := x.look(p).State
	if state == Waiting && (how == effect.EndCancelled || how == effect.EndTimedOut) && p.turn.GiveUp() {
		x.end(p, how)
		return p.External, nil
	}
	if x.look(p).State != Active || !p.turn.Complete(how) {
		return p.External, &NotActive{p.Action, p.name}
	}
	x.end(p, how)
	return p.External, nil
}

// Close forgets all executions. Waiting and active executions keep their places in the queues.
func (x *Externals) Close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, p := range x.all {
		p.timer.Stop()
	}
	clear(x.all)
	clear(x.open)
	x.ended = nil
}
