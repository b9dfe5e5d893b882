// Package guardmodel runs random programs of many evaluations, one operation at a time, and compares each outcome with
// a model that searches for deadlocks by brute force. It imports no implementation: the tests inside package guard use
// it too.
package guardmodel

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/diag"
)

// The outcomes of an acquisition, besides the codes of errors.
const (
	Given = "given"
	Waits = "waits"
)

// Evaluation is an evaluation of the model.
type Evaluation struct {
	Number    int // in the order in which evaluations began
	Parent    *Evaluation
	Waiting   bool
	Wants     string // the host that it waits for, "" for the global guard
	Cancelled bool   // its context has ended, and it has not noticed yet
	held      []string
	children  int // that have not ended
}

// Subject is the implementation that is compared with the model. Its methods fail the test if an operation that the
// model makes fails.
type Subject interface {
	Begin(e *Evaluation)
	End(e *Evaluation)
	// Acquire acquires a host, "" for the global guard, and returns Given, Waits or the code of the error.
	Acquire(e *Evaluation, host string) string
	// Release releases the guard that an evaluation acquired last. next is the evaluation that must have it
	// now; nil for none.
	Release(e *Evaluation, host string, next *Evaluation)
	// Cancel ends the context of an evaluation that waits, and reports whether it has left the queue by then. If not,
	// Leave has it leave later.
	Cancel(e *Evaluation) (left bool)
	Leave(e *Evaluation)
	// Check compares everything with the model.
	Check(m *Model)
}

// Model is the expected state.
type Model struct {
	Live    []*Evaluation
	Holders map[string]*Evaluation
	Queues  map[string][]*Evaluation
	Errors  map[diag.Code]int // how often an acquisition has had one

	t      testing.TB
	s      Subject
	choose func(n int) int
	made   int
}

// New returns a model of a subject. choose returns a number from 0 to n-1.
func New(t testing.TB, s Subject, choose func(n int) int) *Model {
	m := &Model{t: t, s: s, choose: choose, Holders: map[string]*Evaluation{}, Queues: map[string][]*Evaluation{},
		Errors: map[diag.Code]int{}}
	for range 1 + choose(3) {
		m.begin(nil)
	}
	return m
}

// String returns the number of an evaluation with those above it.
func (e *Evaluation) String() string {
	if e.Parent == nil {
		return fmt.Sprint(e.Number)
	}
	return fmt.Sprintf("%s.%d", e.Parent, e.Number)
}

func (m *Model) begin(parent *Evaluation) {
	e := &Evaluation{Number: m.made, Parent: parent}
	m.made++
	if parent != nil {
		parent.children++
	}
	m.Live = append(m.Live, e)
	m.s.Begin(e)
}

// Step has some evaluation do something.
func (m *Model) Step() {
	e := m.Live[m.choose(len(m.Live))]
	switch {
	case e.Waiting:
		m.disturb(e)
	case e.children > 0: // suspended
	default:
		m.act(e)
	}
	m.check()
}

// disturb cancels a wait, perhaps in two operations, between which the others continue.
func (m *Model) disturb(e *Evaluation) {
	switch {
	case e.Cancelled:
		m.s.Leave(e)
		m.left(e)
	case m.choose(8) == 1:
		if e.Cancelled = true; m.s.Cancel(e) {
			m.left(e)
		}
	}
}

// left makes an evaluation be out of its queue.
func (m *Model) left(e *Evaluation) {
	m.Queues[e.Wants] = slices.DeleteFunc(m.Queues[e.Wants], func(o *Evaluation) bool { return o == e })
	e.Waiting, e.Cancelled = false, false
}

func (m *Model) act(e *Evaluation) {
	switch m.choose(8) {
	case 0, 1:
		if len(e.held) > 0 {
			m.release(e)
		} else if e.Parent != nil {
			m.end(e)
		}
	case 2:
		for range 1 + m.choose(3) {
			if len(m.Live) < 16 {
				m.begin(e)
			}
		}
	default:
		m.acquire(e, []string{"", "a", "b", "c"}[m.choose(4)])
	}
}

func (m *Model) end(e *Evaluation) {
	e.Parent.children--
	m.Live = slices.DeleteFunc(m.Live, func(o *Evaluation) bool { return o == e })
	m.s.End(e)
}

func (m *Model) acquire(e *Evaluation, host string) {
	want := m.expected(e, host)
	got := m.s.Acquire(e, host)
	require.Equal(m.t, want, got, "%s wants %q", e, host)
	switch got {
	case Given:
		m.Holders[host] = e
		e.held = append(e.held, host)
	case Waits:
		e.Waiting, e.Wants = true, host
		m.Queues[host] = append(m.Queues[host], e)
	default:
		m.Errors[diag.Code(got)]++
		e.Cancelled = false
	}
}

// expected is the wanted outcome of an acquisition.
func (m *Model) expected(e *Evaluation, host string) string {
	h := m.Holders[host]
	if h == nil {
		return Given
	}
	for a := e; a != nil; a = a.Parent {
		if a == h {
			return string(diag.GuardHeld)
		}
	}
	if e.Cancelled {
		return string(diag.Cancelled)
	}
	was := m.Queues[host]
	defer func() { m.Queues[host], e.Waiting, e.Wants = was, false, "" }()
	m.Queues[host] = append(slices.Clone(was), e)
	e.Waiting, e.Wants = true, host
	if m.finishing()[e] {
		return Waits
	}
	return string(diag.GuardCycle)
}

// finishing returns the evaluations that can end: by brute force, beginning with the running ones, it adds
// evaluations that wait for no others, until there are no more.
func (m *Model) finishing() map[*Evaluation]bool {
	can := map[*Evaluation]bool{}
	for more := true; more; {
		more = false
		for _, e := range m.Live {
			if !can[e] && m.canFinish(e, can) {
				can[e], more = true, true
			}
		}
	}
	return can
}

func (m *Model) canFinish(e *Evaluation, can map[*Evaluation]bool) bool {
	if e.Waiting {
		if e.Cancelled {
			return true // it is about to leave
		}
		queue := m.Queues[e.Wants]
		ahead := queue[:slices.Index(queue, e)]
		return can[m.Holders[e.Wants]] && !slices.ContainsFunc(ahead, func(o *Evaluation) bool { return !can[o] })
	}
	return !slices.ContainsFunc(m.Live, func(o *Evaluation) bool { return o.Parent == e && !can[o] })
}

func (m *Model) release(e *Evaluation) {
	host := e.held[len(e.held)-1]
	e.held = e.held[:len(e.held)-1]
	queue := m.Queues[host]
	if len(queue) == 0 {
		delete(m.Holders, host)
		m.s.Release(e, host, nil)
		return
	}
	next := queue[0]
	next.Waiting, next.held = false, append(next.held, host)
	m.Holders[host], m.Queues[host] = next, queue[1:]
	m.s.Release(e, host, next)
}

// check wants everybody to be able to end, and the subject to be as the model.
func (m *Model) check() {
	can := m.finishing()
	for _, e := range m.Live {
		require.True(m.t, can[e], "%s cannot end", e)
	}
	m.s.Check(m)
}

// Finish has every evaluation release its guards and end: nothing may stall.
func (m *Model) Finish() {
	worker := func(e *Evaluation) bool { return e.Parent != nil }
	for steps := 0; len(m.Holders) > 0 || slices.ContainsFunc(m.Live, worker); steps++ {
		require.Less(m.t, steps, 1000, "it stalls")
		for _, e := range slices.Clone(m.Live) {
			runs := !e.Waiting && e.children == 0
			switch {
			case e.Waiting && e.Cancelled:
				m.s.Leave(e)
				m.left(e)
			case runs && len(e.held) > 0:
				m.release(e)
			case runs && e.Parent != nil:
				m.end(e)
			}
		}
		m.check()
	}
}
