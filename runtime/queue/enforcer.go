// This file defines Enforcer, the policies in front of the queues.

package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
)

// Enforcer holds calls to policies.
type Enforcer struct {
	set   *Set
	start time.Time // what times are counted from

	global  rule
	packs   map[string]rule
	actions map[string]rule
}

// rule is a policy at work.
type rule struct {
	concurrency int    // 0 if there is no limit
	meter       *meter // nil if there is nothing to be counted
}

// rules are those that bind an action: its own, that of its pack and the global one.
type rules [3]rule

// NewEnforcer gives an enforcer of policies in front of a set. Its error joins the
// Problems of the policies.
func NewEnforcer(p Policies, s *Set) (*Enforcer, error) {
	if problems := p.Check(); len(problems) > 0 {
		all := make([]error, len(problems))
		for i, problem := range problems {
			all[i] = problem
		}
		return nil, errors.Join(all...)
	}
	return &Enforcer{
		set: s, start: time.Now(),
		global:  rule{p.Global.Concurrency, newMeter(Global, "", p.Global)},
		packs:   newRules(OfPack, p.Packs),
		actions: newRules(OfAction, p.Actions),
	}, nil
}

func newRules(level Level, policies map[string]Policy) map[string]rule {
	all := make(map[string]rule, len(policies))
	for name, p := range policies {
		all[name] = rule{p.Concurrency, newMeter(level, name, p)}
	}
	return all
}

func (e *Enforcer) rules(action string) rules {
	return rules{e.actions[action], e.packs[Pack(action)], e.global}
}

// Enter is Admit and then Start, for those who take nothing else between the two.
func (e *Enforcer) Enter(ctx context.Context, action, execution string, most int, blocking func(wait func())) error {
	if err := e.Admit(action); err != nil {
		return err
	}
	return e.Start(ctx, action, execution, most, blocking)
}

// Admit checks the rates and quotas that bind an action, and counts the call.
//
// A call that a policy refuses is *Violation, it has not waited, and it counts for no
// policy. One that passes counts for all, whatever becomes of it in the queue: were it
// to count only when it starts, those that wait could not know whether they may.
func (e *Enforcer) Admit(action string) error {
	all := e.rules(action)
	if v := e.admit(&all); v != nil {
		v.Action = action
		return v
	}
	return nil
}

// Start waits in the queue of an action as EnqueueAndWait does. After a nil error the
// execution is active, and whoever called must Leave.
//
// most bounds the executions of the action that are under way at once beside what the
// policies say: what the action says of itself; 0 if that is nothing.
func (e *Enforcer) Start(ctx context.Context, action, execution string, most int, blocking func(wait func())) error {
	all := e.rules(action)
	limit := all.concurrency()
	if most > 0 {
		limit = min(limit, most)
	}
	return e.set.EnqueueAndWait(ctx, action, execution, limit, blocking)
}

// Leave ends an execution that has entered, as Complete does.
func (e *Enforcer) Leave(action, execution string) { e.set.Complete(action, execution) }

// Concurrency gives how many executions of an action may be under way at once: what the
// most specific policy says that says something, otherwise NoLimit.
func (e *Enforcer) Concurrency(action string) int {
	all := e.rules(action)
	return all.concurrency()
}

// Bounds tells in short what the policies lay down for an action, such as "at most 4 at
// once, 10 calls in 1m0s, with all of aws 1000 calls in 1h0m0s"; "" for nothing.
func (e *Enforcer) Bounds(action string) string {
	all := e.rules(action)
	var parts []string
	if n := all.concurrency(); n != NoLimit {
		parts = append(parts, fmt.Sprintf("at most %d at once", n))
	}
	for _, r := range all {
		if r.meter != nil {
			parts = append(parts, r.meter.bounds()...)
		}
	}
	return strings.Join(parts, ", ")
}

// admit counts a call at all levels, or at none and says why.
func (e *Enforcer) admit(all *rules) *Violation {
	if !all.lock() {
		return nil
	}
	defer all.unlock()
	now := time.Since(e.start)
	if v := all.refusal(now); v != nil {
		return v
	}
	for _, r := range all {
		if r.meter != nil {
			r.meter.count(now)
		}
	}
	return nil
}

func (l *rules) concurrency() int {
	for _, r := range l {
		if r.concurrency > 0 {
			return r.concurrency
		}
	}
	return NoLimit
}

// lock locks the meters, always in this order, the one that most calls need last and
// so for the shortest time. It says whether there are any.
func (l *rules) lock() bool {
	some := false
	for _, r := range l {
		if r.meter != nil {
			r.meter.mu.Lock()
			some = true
		}
	}
	return some
}

func (l *rules) unlock() {
	for _, r := range l {
		if r.meter != nil {
			r.meter.mu.Unlock()
		}
	}
}

// refusal gives the violation that lasts longest, nil if there is none.
func (l *rules) refusal(now time.Duration) *Violation {
	var worst *Violation
	for _, r := range l {
		if r.meter == nil {
			continue
		}
		if v := r.meter.refusal(now); v != nil && (worst == nil || v.RetryAfter > worst.RetryAfter) {
			worst = v
		}
	}
	return worst
}

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
	// RetryAfter is when a call would pass, if nobody else calls until then.
	RetryAfter time.Duration
}

// Code gives diag.PolicyViolation.
func (v *Violation) Code() diag.Code { return diag.PolicyViolation }

func (v *Violation) Error() string {
	whose := string(v.Level)
	if v.Name != "" {
		whose += " " + v.Name
	}
	limit := fmt.Sprintf("%d calls in %s", v.Calls, v.Window)
	if v.Kind == OfRate && v.Burst != v.Calls {
		limit += fmt.Sprintf(", %d at once", v.Burst)
	}
	return fmt.Sprintf("%s: the %s of the policy for %s is used up (%s); it can be called again in %s",
		v.Action, v.Kind, whose, limit, roundUp(v.RetryAfter))
}

// roundUp gives a time that a person can take in, and that is not too early.
func roundUp(d time.Duration) time.Duration {
	unit := time.Millisecond
	if d >= time.Minute {
		unit = time.Second
	}
	return (d + unit - 1).Truncate(unit)
}
