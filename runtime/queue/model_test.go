// This file runs sequences of operations on a set and on a naive model of it.

package queue_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// The bounds of the sets that are compared, and the names of their actions.
const (
	modelLength = 6
	modelWait   = time.Minute
)

var modelActions = []string{"a", "b"}

// naive is the model: lists, and no thought of speed.
type naive struct{ actions map[string]*naiveAction }

type naiveAction struct {
	stats   queue.Stats
	active  []string
	waiting []naiveWaiter
	due     [3]int // when the next of each lane is due: earlier dates first
	today   int
}

type naiveWaiter struct {
	execution       string
	lane            int
	since, deadline time.Time // the deadline of its context; zero if there is none
}

// outcome is how a call ended: "started", or the kind of its error.
type outcome struct{ execution, what string }

func (n *naive) arrive(action, execution string, lane, limit int, deadline time.Time) []outcome {
	a := n.actions[action]
	a.stats.Limit = limit
	out := a.fill()
	switch {
	case len(a.waiting) == 0 && len(a.active) < limit:
		a.active = append(a.active, execution)
		out = append(out, outcome{execution, "started"})
	case len(a.of(lane)) == modelLength:
		a.stats.Lanes[lane].Refused++
		return append(out, outcome{execution, "full"})
	default:
		if len(a.of(lane)) == 0 {
			a.due[lane] = a.today + naiveStrides[lane]
		}
		a.waiting = append(a.waiting, naiveWaiter{execution, lane, time.Now(), deadline})
	}
	a.stats.Lanes[lane].Enqueued++
	return out
}

var naiveStrides = [3]int{1, 4, 16}

// of returns the waiters of a lane.
func (a *naiveAction) of(lane int) []naiveWaiter {
	return slices.DeleteFunc(slices.Clone(a.waiting), func(w naiveWaiter) bool { return w.lane != lane })
}

func (a *naiveAction) fill() []outcome {
	var out []outcome
	for len(a.waiting) > 0 && len(a.active) < a.stats.Limit {
		for a.today = 0; ; a.today++ { // look for the first that is due, the highest of those on one day
			lane := slices.IndexFunc([]int{0, 1, 2}, func(lane int) bool {
				return len(a.of(lane)) > 0 && a.due[lane] == a.today
			})
			if lane < 0 {
				continue
			}
			a.due[lane] += naiveStrides[lane]
			first := a.of(lane)[0].execution
			a.active = append(a.active, first)
			out = append(out, a.take(uncounted, "started", func(w naiveWaiter) bool { return w.execution == first })...)
			break
		}
	}
	return out
}

func (n *naive) complete(action, execution string) []outcome {
	a := n.actions[action]
	i := slices.Index(a.active, execution)
	a.active = slices.Delete(a.active, i, i+1)
	a.stats.Completed++
	return a.fill()
}

// take removes the selected waiters from the queue.
func (a *naiveAction) take(total func(*queue.LaneStats) *int64, what string, meant func(naiveWaiter) bool) []outcome {
	var out []outcome
	a.waiting = slices.DeleteFunc(slices.Clone(a.waiting), func(w naiveWaiter) bool {
		if !meant(w) {
			return false
		}
		lane, waited := &a.stats.Lanes[w.lane], time.Since(w.since)
		switch what {
		case "deadline":
			waited = w.deadline.Sub(w.since)
		case "timed out":
			waited = modelWait
		}
		*total(lane)++
		lane.Waited += waited
		lane.Longest = max(lane.Longest, waited)
		out = append(out, outcome{w.execution, what})
		return true
	})
	return out
}

func timedOut(s *queue.LaneStats) *int64  { return &s.TimedOut }
func cancelled(s *queue.LaneStats) *int64 { return &s.Cancelled }
func uncounted(*queue.LaneStats) *int64   { return new(int64) }

// pass lets the time pass that has passed.
func (n *naive) pass() []outcome {
	var out []outcome
	now := time.Now()
	for _, a := range n.actions {
		out = append(out, a.take(timedOut, "deadline", func(w naiveWaiter) bool {
			return !w.deadline.IsZero() && !now.Before(w.deadline) && w.deadline.Before(w.since.Add(modelWait))
		})...)
		out = append(out, a.take(timedOut, "timed out", func(w naiveWaiter) bool {
			return now.Sub(w.since) >= modelWait
		})...)
	}
	return out
}

// now returns the stats of an action.
func (a *naiveAction) now() queue.Stats {
	s := a.stats
	s.Waiting, s.Active = len(a.waiting), len(a.active)
	for i, l := range s.Lanes {
		l.Priority, l.Waiting = effect.Priorities[i], len(a.of(i))
		if l.Waiting > 0 {
			l.Oldest = time.Since(a.of(i)[0].since)
		}
		s.Lanes[i] = l
		s.Oldest, s.Longest, s.Waited = max(s.Oldest, l.Oldest), max(s.Longest, l.Longest), s.Waited+l.Waited
		s.Enqueued, s.Refused = s.Enqueued+l.Enqueued, s.Refused+l.Refused
		s.Cancelled, s.TimedOut = s.Cancelled+l.Cancelled, s.TimedOut+l.TimedOut
	}
	if s.Limit == queue.NoLimit {
		s.Limit = 0
	}
	return s
}

// comparison is a set and its model.
type comparison struct {
	t       *testing.T
	set     *queue.Set
	queues  *queue.Enforcer // of the set
	model   naive
	cancels map[string]context.CancelFunc // of the contexts of executions
	made    int

	mu  sync.Mutex
	got []outcome
}

// runModel runs the operations that a text encodes, three bytes each.
func runModel(t *testing.T, ops []byte) {
	synctest.Test(t, func(t *testing.T) {
		c := &comparison{
			t: t, cancels: map[string]context.CancelFunc{}, model: naive{map[string]*naiveAction{}},
			set: queue.New(queue.Options{Length: modelLength, Wait: modelWait}),
		}
		var err error
		c.queues, err = queue.NewEnforcer(queue.Policies{}, c.set)
		require.NoError(t, err)
		for _, action := range modelActions {
			c.model.actions[action] = &naiveAction{stats: queue.Stats{Action: action}}
		}
		for ; len(ops) >= 3; ops = ops[3:] {
			c.step(ops[0], ops[1], ops[2])
		}
		c.end()
	})
}

// step does one operation on both, and compares.
func (c *comparison) step(op, x, y byte) {
	action := modelActions[int(x)%len(modelActions)]
	a := c.model.actions[action]
	var want []outcome
	switch op % 8 {
	case 0, 1, 2:
		want = c.arrive(action, y, 1+int(y>>2)%4)
	case 3, 4:
		if len(a.active) > 0 {
			execution := a.active[int(y)%len(a.active)]
			want = c.model.complete(action, execution)
			c.set.Complete(action, execution)
		}
	case 5:
		if len(a.waiting) > 0 {
			want = c.leave(action, a.waiting[int(y)%len(a.waiting)].execution, y)
		}
	case 6:
		// A millisecond more than whole seconds, so that no two timers end at the same time.
		time.Sleep(time.Duration(y%40)*time.Second + time.Millisecond)
		synctest.Wait()
		want = c.model.pass()
	case 7:
		want = c.rare(action, y)
	}
	c.compare(want)
}

// arrive makes a call; every fourth call has its own deadline.
func (c *comparison) arrive(action string, y byte, limit int) []outcome {
	c.made++
	execution := strconv.Itoa(c.made)
	ctx, cancel := context.WithCancel(c.t.Context())
	var deadline time.Time
	if y%4 == 0 {
		deadline = time.Now().Add(time.Duration(1+y%50)*time.Second + time.Microsecond)
		ctx, cancel = context.WithDeadline(c.t.Context(), deadline)
	}
	c.cancels[execution] = cancel
	lane := int(y>>4) % 3
	go func() {
		_, err := c.queues.Action(action).Start(ctx,
			&effect.Execution{Name: execution, Most: limit, Priority: effect.Priorities[lane]})
		what := kindOf(err)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.got = append(c.got, outcome{execution, what})
	}()
	return c.model.arrive(action, execution, lane, limit, deadline)
}

func kindOf(err error) string {
	var cancelled *queue.Cancelled
	switch {
	case err == nil:
		return "started"
	case errors.As(err, new(*queue.Full)):
		return "full"
	case errors.As(err, new(*queue.TimedOut)):
		return "timed out"
	case errors.As(err, &cancelled) && cancelled.Cleared:
		return "cleared"
	case errors.As(err, &cancelled):
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline"
	case errors.Is(err, context.Canceled):
		return "context"
	}
	return err.Error()
}

// leave takes an execution out of the queue, by its name or its context.
func (c *comparison) leave(action, execution string, y byte) []outcome {
	a := c.model.actions[action]
	this := func(w naiveWaiter) bool { return w.execution == execution }
	if y%2 == 0 {
		c.cancels[execution]()
		return a.take(cancelled, "context", this)
	}
	require.True(c.t, c.set.Cancel(action, execution))
	return a.take(cancelled, "cancelled", this)
}

// rare makes rare operations: clearing, crowds, and calls that must change nothing.
func (c *comparison) rare(action string, y byte) (want []outcome) {
	a := c.model.actions[action]
	if y%8 == 0 {
		n := 0
		for _, a := range c.model.actions {
			n += len(a.waiting)
			want = append(want, a.take(cancelled, "cleared", func(naiveWaiter) bool { return true })...)
		}
		require.Equal(c.t, n, c.set.ClearAll())
		return want
	}
	if y%8 == 4 {
		return c.crowd(action, y)
	}
	for _, execution := range append([]string{"unheard of"}, a.active...) {
		require.False(c.t, c.set.Cancel(action, execution))
	}
	for _, w := range append([]naiveWaiter{{execution: "unheard of"}}, a.waiting...) {
		require.Error(c.t, c.set.Complete(action, w.execution))
	}
	return nil
}

// crowd lets many more start than the bounds of the model allow otherwise, and end in
// another order, so that the table of executions grows and shrinks around the others.
func (c *comparison) crowd(action string, y byte) (want []outcome) {
	const n = 150
	a := c.model.actions[action]
	others := len(a.active) + len(a.waiting) // which start too
	for range n {
		want = append(want, c.arrive(action, y, queue.NoLimit)...)
	}
	c.compare(want)
	for left := n; left > 0; left-- {
		execution := a.active[others+int(y)%left]
		c.model.complete(action, execution)
		c.set.Complete(action, execution)
	}
	return nil
}

// compare checks that the calls that should have ended have, and no others, and that
// the counts are the same.
func (c *comparison) compare(want []outcome) {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	require.ElementsMatch(c.t, want, c.got, "operation %d", c.made)
	c.got = nil
	for action, a := range c.model.actions {
		require.Equal(c.t, a.now(), c.set.Stats(action))
		c.list(action, a)
	}
}

// list compares the list of an action, read in pages of three, with the model.
func (c *comparison) list(action string, a *naiveAction) {
	var want, got []string
	want = append(want, a.active...)
	slices.Sort(want)
	for lane := range 3 {
		for i, w := range a.of(lane) {
			want = append(want, fmt.Sprint(w.execution, " ", effect.Priorities[lane], " ", i+1, " ", time.Since(w.since)))
		}
	}
	for after := ""; ; {
		p, err := c.set.Executions(action, after, 3)
		require.NoError(c.t, err)
		require.LessOrEqual(c.t, len(p.Executions), 3)
		require.Equal(c.t, a.now(), p.Stats)
		for _, e := range p.Executions {
			text := e.Name
			if e.State == queue.Waiting {
				text = fmt.Sprint(e.Name, " ", e.Priority, " ", e.Position, " ", time.Since(e.Since))
			}
			got = append(got, text)
		}
		if after = p.Next; after == "" {
			break
		}
	}
	require.Equal(c.t, want, got)
}

// end lets all executions end, so that no goroutine is left.
func (c *comparison) end() {
	c.set.ClearAll()
	for action, a := range c.model.actions {
		for _, execution := range a.active {
			c.set.Complete(action, execution)
		}
		stats := c.set.Stats(action)
		require.Equal(c.t, stats.Enqueued, stats.Completed+stats.Cancelled+stats.TimedOut)
	}
	for cancel := range maps.Values(c.cancels) {
		cancel()
	}
}

func TestModel(t *testing.T) {
	seeds := 60
	switch {
	case testlevel.Small():
		seeds = 20
	case *thorough:
		seeds = 3000
	}
	for seed := range uint64(seeds) {
		ops := make([]byte, 3*200)
		r := rand.New(rand.NewPCG(seed, 1))
		for i := range ops {
			ops[i] = byte(r.Uint32())
		}
		if !t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { runModel(t, ops) }) {
			return
		}
	}
}

func FuzzModel(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 0, 1, 5, 0, 0, 3, 0, 0, 0, 0, 13, 6, 0, 39, 6, 0, 39, 7, 0, 8})
	f.Fuzz(func(t *testing.T, ops []byte) { runModel(t, ops[:min(len(ops), 3*500)]) })
}
