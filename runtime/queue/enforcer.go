// This file defines Enforcer, which applies policies before the queues.

package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Enforcer applies policies to calls before they enter the queues of a Set. It is the effect.Queues
// of one process, and safe for concurrent use. The zero Enforcer has no policies, and its own queues.
type Enforcer struct {
	set   *Set      // nil if it is own
	own   Set       // of the zero Enforcer
	start time.Time // the origin of times; set with the first rules
	rules atomic.Pointer[rules]

	keeper    atomic.Pointer[keeper] // nil without a ledger
	replacing sync.Mutex
}

// rules are policies with their meters. They are immutable.
type rules struct {
	global  rule
	packs   map[string]rule
	actions map[string]rule
	approve effect.Approvals
}

// rule is a policy with its meter.
type rule struct {
	policy Policy
	meter  *meter // nil if nothing is counted
}

// NewEnforcer returns an enforcer of policies in front of a set; if s is nil, of one with the default bounds. Its
// error joins the Problems of the policies, and that of the bounds of s.
func NewEnforcer(p Policies, s *Set) (*Enforcer, error) {
	e := &Enforcer{set: s}
	if err := errors.Join(e.Queues().err, e.Replace(p)); err != nil {
		return nil, err
	}
	return e, nil
}

// Queues returns the set, which has statistics and lists of the executions.
func (e *Enforcer) Queues() *Set {
	if e.set == nil {
		return &e.own
	}
	return e.set
}

// noRules are those of the zero Enforcer.
var noRules rules

// current returns the newest rules.
func (e *Enforcer) current() *rules {
	if r := e.rules.Load(); r != nil {
		return r
	}
	return &noRules
}

// Replace replaces the policies for all later calls. A policy whose rate and quota stay the same
// keeps its counts. A wider limit lets waiting calls start; a narrower one interrupts none. After
// an error, which joins the Problems of the policies, the old ones still apply.
func (e *Enforcer) Replace(p Policies) error {
	if err := p.err(); err != nil {
		return err
	}
	e.replacing.Lock()
	defer e.replacing.Unlock()
	if e.start.IsZero() {
		e.start = time.Now()
	}
	before := e.current()
	r := newRules(p, before)
	e.rules.Store(r)
	if k := e.keeper.Load(); k != nil {
		// The reservations of the old policies stay counted if this fails.
		_ = k.settle(context.Background(), before.meters())
	}
	for l := range e.Queues().all {
		l.relimit(r.bind(l.action).concurrency)
	}
	return nil
}

// meters returns all meters of the rules.
func (r *rules) meters() []*meter {
	var all []*meter
	add := func(r rule) {
		if r.meter != nil {
			all = append(all, r.meter)
		}
	}
	add(r.global)
	for _, p := range r.packs {
		add(p)
	}
	for _, a := range r.actions {
		add(a)
	}
	return all
}

// Policies returns the newest policies.
func (e *Enforcer) Policies() Policies {
	r := e.current()
	p := Policies{Global: r.global.policy, Packs: make(map[string]Policy, len(r.packs)),
		Actions: make(map[string]Policy, len(r.actions)), Approve: r.approve.And(effect.Approvals{})}
	for name, pack := range r.packs {
		p.Packs[name] = pack.policy
	}
	for name, action := range r.actions {
		p.Actions[name] = action.policy
	}
	return p
}

// err joins the problems of policies.
func (p Policies) err() error {
	var all []error
	for _, problem := range p.Check() {
		all = append(all, problem)
	}
	return errors.Join(all...)
}

// newRules returns rules with those meters of the previous rules that count the same.
func newRules(p Policies, before *rules) *rules {
	r := &rules{newRule(Global, "", p.Global, before.global),
		make(map[string]rule, len(p.Packs)), make(map[string]rule, len(p.Actions)), p.Approve.And(effect.Approvals{})}
	for name, policy := range p.Packs {
		r.packs[name] = newRule(OfPack, name, policy, before.packs[name])
	}
	for name, policy := range p.Actions {
		r.actions[name] = newRule(OfAction, name, policy, before.actions[name])
	}
	return r
}

func newRule(level Level, name string, p Policy, before rule) rule {
	if p.Rate == before.policy.Rate && p.Quota == before.policy.Quota {
		return rule{p, before.meter}
	}
	return rule{p, newMeter(level, name, p)}
}

// bind returns the policies of an action.
func (r *rules) bind(action string) *bound {
	levels := []rule{r.actions[action], r.packs[Pack(action)], r.global}
	b := &bound{by: r, concurrency: concurrency(levels[0].policy, levels[1].policy, levels[2].policy)}
	for _, rule := range levels {
		if rule.meter != nil {
			b.meters = append(b.meters, rule.meter)
		}
	}
	return b
}

// Action returns an *Action, whether or not it has a policy. A caller that makes many calls keeps
// it, to avoid a look-up at each call.
func (e *Enforcer) Action(name string) effect.Action {
	return &Action{of: e, name: name}
}

// Waiters returns the waiters in the order of actions, and of each action in the order of lanes, the
// first of each lane first; at most n.
func (e *Enforcer) Waiters(n int) []effect.Waiter { return e.Queues().Waiters(n) }

// Approvals returns the calls that the newest policies have wait for an approval. Calls that wait already
// continue waiting when the policies are replaced.
func (e *Enforcer) Approvals() effect.Approvals { return e.current().approve }

// Level is the scope of a policy: an action, a pack, or everything.
type Level string

// The levels, the most specific one first.
const (
	OfAction Level = "action"
	OfPack   Level = "pack"
	Global   Level = "global"
)

// Kind is the part of a policy that bounds the number of calls.
type Kind string

// The kinds.
const (
	OfRate  Kind = "rate"
	OfQuota Kind = "quota"
)

// Violation is the error of a call that a policy refuses. If several policies refuse the call, it
// is the violation that lasts longest.
type Violation struct {
	Action string // that was called
	Level  Level
	Name   string // of the action or pack that has the policy
	Kind   Kind
	Calls  int // that are allowed
	Window time.Duration
	Burst  int // of a rate
	// RetryAfter is the time until a call would pass, if there is no other call before.
	RetryAfter time.Duration
}

// Code returns diag.PolicyViolation.
func (v *Violation) Code() diag.Code { return diag.PolicyViolation }

// Failure returns the failure that a program sees for the violation.
func (v *Violation) Failure() *effect.Failure {
	f := refused(v)
	f.Message, f.RetryAfter = v.Reason(), v.RetryAfter.Milliseconds()+1 // the error of the call names the action
	return f
}

func (v *Violation) Error() string { return v.Action + ": " + v.Reason() }

// Reason describes the policy that refuses the call, without the action.
func (v *Violation) Reason() string {
	whose := string(v.Level)
	if v.Name != "" {
		whose += " " + v.Name
	}
	limit := fmt.Sprintf("%s in %s", diag.Counted(v.Calls, "call"), diag.Duration(v.Window))
	if v.Kind == OfRate && v.Burst != v.Calls {
		limit += fmt.Sprintf(", %d at once", v.Burst)
	}
	return fmt.Sprintf("the %s of the policy for %s is used up (%s); it can be called again in %s",
		v.Kind, whose, limit, diag.Duration(roundUp(v.RetryAfter)))
}

// roundUp returns a duration as a short string, rounded up.
func roundUp(d time.Duration) time.Duration {
	unit := time.Millisecond
	if d >= time.Minute {
		unit = time.Second
	}
	return (d + unit - 1).Truncate(unit)
}
