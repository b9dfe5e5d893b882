// This file defines Enforcer, the policies in front of the queues.

package queue

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Enforcer holds calls to policies, in front of the queues of a Set. It is the effect.Queues of
// one process, and safe for concurrent use. The zero Enforcer is ready for use: it has no policies, and queues of its
// own.
type Enforcer struct {
	set   *Set      // nil if it is own
	own   Set       // of the zero Enforcer
	start time.Time // what times are counted from; set with the first rules
	rules atomic.Pointer[rules]

	replacing sync.Mutex
}

// rules are the policies at a moment. They are not changed.
type rules struct {
	global  rule
	packs   map[string]rule
	actions map[string]rule
}

// rule is a policy at work.
type rule struct {
	policy Policy
	meter  *meter // nil if there is nothing to be counted
}

// NewEnforcer returns an enforcer of policies in front of a set; if s is nil, of one with the default bounds. Its
// error joins the Problems of the policies, and that of the bounds of s.
func NewEnforcer(p Policies, s *Set) (*Enforcer, error) {
	e := &Enforcer{set: s}
	if err := errors.Join(e.queues().err, e.Replace(p)); err != nil {
		return nil, err
	}
	return e, nil
}

// queues returns the set.
func (e *Enforcer) queues() *Set {
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

// Replace replaces the policies for all calls from now on. A
// policy whose rate and quota stay the same goes on counting from where it was. A wider limit
// lets waiting calls start; a narrower one interrupts none. After an error, which joins the
// Problems of the policies, the old ones hold.
func (e *Enforcer) Replace(p Policies) error {
	if err := p.err(); err != nil {
		return err
	}
	e.replacing.Lock()
	defer e.replacing.Unlock()
	if e.start.IsZero() {
		e.start = time.Now()
	}
	r := newRules(p, e.current())
	e.rules.Store(r)
	for l := range e.queues().all {
		l.relimit(r.bind(l.action).concurrency)
	}
	return nil
}

// err joins the problems of policies.
func (p Policies) err() error {
	var all []error
	for _, problem := range p.Check() {
		all = append(all, problem)
	}
	return errors.Join(all...)
}

// newRules returns rules with the meters of those before, as far as they count the same.
func newRules(p Policies, before *rules) *rules {
	r := &rules{newRule(Global, "", p.Global, before.global),
		make(map[string]rule, len(p.Packs)), make(map[string]rule, len(p.Actions))}
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

// bind returns what binds an action.
func (r *rules) bind(action string) *bound {
	b := &bound{by: r, concurrency: NoLimit}
	for _, rule := range []rule{r.actions[action], r.packs[Pack(action)], r.global} {
		if n := rule.policy.Concurrency; n > 0 && b.concurrency == NoLimit {
			b.concurrency = n
		}
		if rule.meter != nil {
			b.meters = append(b.meters, rule.meter)
		}
	}
	return b
}

// Action returns an *Action, whether or not a policy binds it. A caller that makes many calls
// of it keeps that: it is looked up once and not at each call.
func (e *Enforcer) Action(name string) effect.Action {
	return &Action{of: e, name: name}
}

// Waiters returns the waiters in the order of actions, the first of each queue first; at most
// n.
func (e *Enforcer) Waiters(n int) []effect.Waiter { return e.queues().Waiters(n) }

// Level is what a policy is laid down for.
type Level string

// The levels, the most specific one first.
const (
	OfAction Level = "action"
	OfPack   Level = "pack"
	Global   Level = "global"
)

// Kind is what of a policy bounds the number of calls.
type Kind string

// The kinds.
const (
	OfRate  Kind = "rate"
	OfQuota Kind = "quota"
)

// Violation is the error of a call that a policy refuses. Where several do, it is the
// one that does so longest.
type Violation struct {
	Action string // that was called
	Level  Level
	Name   string // of the action or pack whose policy it is
	Kind   Kind
	Calls  int // that are allowed
	Window time.Duration
	Burst  int // of a rate
	// RetryAfter is when a call would pass, if there is no other call until then.
	RetryAfter time.Duration
}

// Code returns diag.PolicyViolation.
func (v *Violation) Code() diag.Code { return diag.PolicyViolation }

// Failure returns the failure that the violation is to a program.
func (v *Violation) Failure() *effect.Failure {
	f := refused(v)
	f.Message, f.RetryAfter = v.Reason(), v.RetryAfter.Milliseconds()+1 // the error of the call names the action
	return f
}

func (v *Violation) Error() string { return v.Action + ": " + v.Reason() }

// Reason says what refuses the call, without its action.
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

// roundUp returns a short form of a duration that is not shorter.
func roundUp(d time.Duration) time.Duration {
	unit := time.Millisecond
	if d >= time.Minute {
		unit = time.Second
	}
	return (d + unit - 1).Truncate(unit)
}
