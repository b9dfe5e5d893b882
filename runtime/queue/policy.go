// This file defines policies, and checks them.

package queue

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Policies are the policies of an operator. The zero value has none.
//
// The policies of an action are that of its name, that of its pack and the global one. The most
// specific limit of concurrency applies, to the action's own queue: a pack with a concurrency of 4
// allows 4 executions of each of its actions. All rates and quotas apply. The actions of a pack
// share those of the pack, and all actions share the global ones.
type Policies struct {
	Global  Policy
	Packs   map[string]Policy
	Actions map[string]Policy
	// Approve are the calls that are made only if they are approved. A call that waits for its approval is in no queue
	// and counts for no policy.
	Approve effect.Approvals
}

// Policy is the policy of an action, of a pack or of everything. A zero field sets no bound.
type Policy struct {
	Concurrency int // concurrent executions
	Rate        Rate
	Quota       Quota
}

// Rate bounds how often calls may begin on average, by a token bucket: it holds up to Burst tokens,
// is full at first, and gets Calls tokens in each Per, evenly. A call takes one, and is refused if
// there is none.
type Rate struct {
	Calls int
	Per   time.Duration
	Burst int // 0 is as many as Calls
}

// Quota bounds the number of calls that may begin in any period of the length Window. It costs 8
// bytes for each of the calls.
type Quota struct {
	Calls  int
	Window time.Duration
}

// MaxQuota is the maximum number of calls of a quota, which then takes 8 MB. Beyond it, the
// difference between a quota and a rate is small.
const MaxQuota = 1_000_000

// Problem is a mistake in a policy. Path leads to it, with the names of the fields in a file:
// "actions", "aws.ec2_start", "rate", "per".
type Problem struct {
	Path    []string
	Message string
}

func (p Problem) Error() string { return strings.Join(p.Path, ": ") + ": " + p.Message }

// Check returns all mistakes in the policies, in the order of the fields and of the alphabet.
func (p Policies) Check() []Problem {
	var c checker
	c.policy(p.Global, "global")
	for _, pack := range slices.Sorted(maps.Keys(p.Packs)) {
		c.add(packProblem(pack), "packs", pack)
		c.policy(p.Packs[pack], "packs", pack)
	}
	for _, action := range slices.Sorted(maps.Keys(p.Actions)) {
		c.add(actionProblem(action), "actions", action)
		c.policy(p.Actions[action], "actions", action)
	}
	return c.problems
}

// Concurrency returns the maximum number of concurrent executions of an action: the bound of the most
// specific policy that has one, otherwise NoLimit.
func (p Policies) Concurrency(action string) int {
	return concurrency(p.Actions[action], p.Packs[Pack(action)], p.Global)
}

// concurrency returns the first bound of policies, the most specific one first.
func concurrency(levels ...Policy) int {
	for _, p := range levels {
		if p.Concurrency > 0 {
			return p.Concurrency
		}
	}
	return NoLimit
}

// Pack returns the pack of an action: the part of its name before the first dot, "" if it has none.
func Pack(action string) string {
	pack, _, _ := strings.Cut(action, ".")
	if len(pack) == len(action) {
		return ""
	}
	return pack
}

func packProblem(name string) string {
	switch {
	case strings.Contains(name, "."):
		return "a pack has no dot in its name: it is what stands before the first dot of its actions"
	case !named(name):
		return "the name of a pack is empty or has blanks in it"
	}
	return ""
}

func actionProblem(name string) string {
	if slices.ContainsFunc(strings.Split(name, "."), func(part string) bool { return !named(part) }) {
		return "the name of an action, or a part of it, is empty or has blanks in it"
	}
	return ""
}

// named reports whether a string can be a name or a part of one.
func named(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) })
}

type checker struct{ problems []Problem }

// add adds a problem, unless it is "".
func (c *checker) add(message string, path ...string) {
	if message != "" {
		c.problems = append(c.problems, Problem{slices.Clone(path), message})
	}
}

func (c *checker) policy(p Policy, path ...string) {
	at := func(more ...string) []string { return slices.Concat(path, more) }
	c.add(below(p.Concurrency, 0), at("concurrency")...)
	if r := p.Rate; r != (Rate{}) {
		c.add(below(r.Calls, 1), at("rate", "calls")...)
		c.add(tooShort(r.Per), at("rate", "per")...)
		c.add(below(r.Burst, 0), at("rate", "burst")...)
	}
	if q := p.Quota; q != (Quota{}) {
		c.add(below(q.Calls, 1), at("quota", "calls")...)
		if q.Calls > MaxQuota {
			c.add(fmt.Sprintf("got %d, want at most %d; a rate has no such limit", q.Calls, MaxQuota), at("quota", "calls")...)
		}
		c.add(tooShort(q.Window), at("quota", "window")...)
	}
}

func below(n, least int) string {
	if n < least {
		return fmt.Sprintf("got %d, want at least %d", n, max(least, 1))
	}
	return ""
}

func tooShort(d time.Duration) string {
	if d <= 0 {
		return fmt.Sprintf("got %s, want a time above 0", diag.Duration(d))
	}
	return ""
}
