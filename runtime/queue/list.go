// This file lists the executions of queues.

package queue

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// State is the state of an execution that is listed.
type State string

// The states.
const (
	Active  State = "active"
	Waiting State = "waiting"
)

// Listed is an execution in a list.
type Listed struct {
	Action string `json:"action"`
	effect.Execution
	State State `json:"state"`
	// Since is the beginning of the wait, or the start of an execution that is under way. It is zero if the
	// execution started immediately and its arrival is not known.
	Since    time.Time `json:"since,omitzero"`
	Position int       `json:"position,omitempty"` // in its lane, from 1; 0 if it is under way
}

// Page is a part of the executions of an action.
type Page struct {
	// Stats are of the same moment as the page.
	Stats      Stats    `json:"stats"`
	Executions []Listed `json:"executions"`
	// Next is the argument for the next page, "" if this is the last one.
	Next string `json:"next,omitempty"`
}

// MaxPage is the maximum number of executions of a page.
const MaxPage = 1_000

// Executions returns a page of up to n executions of an action, but at most MaxPage: first the active ones,
// in the order of their names, then the waiting ones, in the order of lanes, the first of each lane first.
// after is the Next of the page before, "" for the first one.
//
// A page shows one moment. An execution that exists from the first page to the last, and does not start in
// the meantime, is on exactly one of them. While a page is made, no execution of the action can start:
// about 1 ms for 10,000 of them.
func (s *Set) Executions(action, after string, n int) (Page, error) {
	c, err := parseCursor(after)
	if err != nil {
		return Page{}, err
	}
	l := s.find(action)
	if l == nil {
		return Page{Stats: s.Stats(action), Executions: []Listed{}}, nil
	}
	return l.page(c, min(max(n, 1), MaxPage)), nil
}

// cursor is the place after an execution in the order of a list.
type cursor struct {
	name   string // of one that is under way
	lane   int    // of one that waits; -1 if none of those has been listed
	number uint64
}

func (c cursor) String() string {
	if c.lane < 0 {
		return "a" + c.name
	}
	return fmt.Sprintf("w%d.%d", c.lane, c.number)
}

func parseCursor(s string) (cursor, error) {
	c := cursor{lane: -1}
	switch {
	case s == "":
		return c, nil
	case s[0] == 'a':
		c.name = s[1:]
		return c, nil
	}
	lane, number, _ := strings.Cut(s[1:], ".")
	i, err := strconv.ParseUint(lane, 10, 8)
	if err == nil {
		c.number, err = strconv.ParseUint(number, 10, 64)
	}
	if c.lane = int(i); err != nil || s[0] != 'w' || c.lane >= len(effect.Priorities) {
		return c, fmt.Errorf("queue: got the page %.50q, want the Next of a page", s)
	}
	return c, nil
}

// page returns the executions after a place.
func (l *line) page(c cursor, n int) Page {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := Page{Stats: l.summary(l.set.now()), Executions: []Listed{}}
	if c.lane < 0 {
		var names []string
		for name := range l.running {
			if name > c.name {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names[:min(len(names), n)] {
			p.Executions = append(p.Executions, l.active(name))
			c.name = name
		}
		if len(names) > n {
			p.Next = c.String()
			return p
		}
	}
	for i := max(c.lane, 0); i < len(l.lanes); i++ {
		position := 0
		for w := l.lanes[i].head; w != nil; w = w.next {
			position++
			if i == c.lane && w.number <= c.number {
				continue
			}
			if len(p.Executions) == n {
				p.Next = c.String()
				return p
			}
			p.Executions = append(p.Executions, l.listed(w, position))
			c = cursor{lane: i, number: w.number}
		}
	}
	return p
}

// active lists an execution that is under way. The caller holds mu.
func (l *line) active(name string) Listed {
	r := l.running[name]
	e := Listed{Action: l.action, Execution: about(name, r.about), State: Active}
	if e.Since = e.At; r.began > 0 {
		e.Since = l.set.start.Add(r.began)
	}
	return e
}

// listed lists an execution that waits. The caller holds mu.
func (l *line) listed(w *waiter, position int) Listed {
	return Listed{Action: l.action, Execution: about(w.execution, w.about), State: Waiting,
		Since: l.set.start.Add(w.since), Position: position}
}

// about returns the description of an execution.
func about(name string, e *effect.Execution) effect.Execution {
	if e == nil {
		return effect.Execution{Name: name}
	}
	return *e
}

// Waiters returns the waiters in the order of actions, and of each action in the order of lanes, the
// first of each lane first; at most n.
func (s *Set) Waiters(n int) []effect.Waiter {
	var lines []*line
	for l := range s.all {
		lines = append(lines, l)
	}
	slices.SortFunc(lines, func(a, b *line) int { return strings.Compare(a.action, b.action) })
	var all []effect.Waiter
	for _, l := range lines {
		all = l.waiters(all, n)
	}
	return all
}

// waiters appends those of a queue, up to n.
func (l *line) waiters(to []effect.Waiter, n int) []effect.Waiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.lanes {
		for w := l.lanes[i].head; w != nil && len(to) < n; w = w.next {
			to = append(to, effect.Waiter{Kind: effect.WaitQueue, Key: l.action, Run: about(w.execution, w.about).Run,
				Name: w.execution, Since: l.set.start.Add(w.since)})
		}
	}
	return to
}
