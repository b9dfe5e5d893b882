// This file defines the table of the actions, and how idle ones are forgotten.

package queue

import "github.com/ptc-lang/ptc/runtime/internal/table"

// open gives the line of an action, a new one if there is none, with its lock held.
func (s *Set) open(action table.Key) *line {
	for {
		l := s.lines.find(action)
		if l == nil {
			l = s.add(action)
		}
		l.mu.Lock()
		if !l.forgotten {
			return l
		}
		l.mu.Unlock() // forgotten since it was found
	}
}

// add puts a new line into the table, unless there is one by now.
func (s *Set) add(action table.Key) *line {
	s.adding.Lock()
	defer s.adding.Unlock()
	if l := s.lines.find(action); l != nil {
		return l
	}
	if s.lines.length >= s.sweep {
		s.forget()
	}
	l := &line{set: s, action: action, executions: table.New[*waiter]()}
	s.lines.add(l)
	return l
}

// forget drops idle lines until there is room for a quarter of those that may be kept.
// So it is not needed again before that many actions are new, and a stream of new names
// costs each of them a look at some five lines. Of lines that have not been used since
// the last time all are dropped; those that have been are dropped only if that is not
// enough. The caller holds adding.
func (s *Set) forget() {
	room := max(s.options.Idle/4, 1)
	idle := 0
	for l := range s.lines.all {
		switch l.retire(false) {
		case dropped:
			s.lines.remove(l)
		case idling:
			idle++
		}
	}
	for l := range s.lines.all {
		if idle <= s.options.Idle-room {
			break
		}
		if l.retire(true) == dropped {
			s.lines.remove(l)
			idle--
		}
	}
	s.sweep = s.lines.length + room
}

// fate is what becomes of a line when idle ones are looked for.
type fate int

const (
	busy fate = iota
	idling
	dropped
)

// retire makes an idle line unusable, if it has not been used since the last time or
// must go whatever its use.
func (l *line) retire(must bool) fate {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.executions.Len() > 0:
		return busy
	case l.used && !must:
		l.used = false
		return idling
	}
	l.forgotten = true
	return dropped
}
