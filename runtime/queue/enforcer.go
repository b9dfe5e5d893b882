// This file defines Enforcer, the policies in front of the queues.

package queue

import (
	"errors"
	"fmt"
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

// Action gives an action and the policies that bind it, whether or not any does. Whoever
// makes many calls of it keeps that: it is looked up once and not at each call.
func (e *Enforcer) Action(name string) *Action {
	a := &Action{set: e.set, start: e.start, key: e.set.key(name), concurrency: NoLimit}
	for _, r := range []rule{e.actions[name], e.packs[Pack(name)], e.global} {
		if r.concurrency > 0 && a.concurrency == NoLimit {
			a.concurrency = r.concurrency
		}
		if r.meter != nil {
			a.meters = append(a.meters, r.meter)
		}
	}
	return a
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

// roundUp gives a time that a person can take in, and that is not too early.
func roundUp(d time.Duration) time.Duration {
	unit := time.Millisecond
	if d >= time.Minute {
		unit = time.Second
	}
	return (d + unit - 1).Truncate(unit)
}
