// This file defines the table of the actions, which drops idle ones.

package queue

// open returns the line of an action, a new one if there is none, with its lock held. known is the
// line that the caller has used last; nil for none.
func (s *Set) open(action string, known *line) *line {
	for l := known; ; l = nil {
		if l == nil {
			l = s.find(action)
		}
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

// add puts a new line into the table, unless there is one already.
func (s *Set) add(action string) *line {
	s.adding.Lock()
	defer s.adding.Unlock()
	if l := s.find(action); l != nil {
		return l
	}
	s.begin()
	if s.count >= s.sweep {
		s.forget()
	}
	l := &line{set: s, action: action, running: map[string]running{}}
	s.lines.Store(action, l)
	s.count++
	return l
}

// forget drops idle lines until there is room for a quarter of the maximum. So it is not needed
// again before that many actions are new, and each new name pays for the examination of some five
// lines. It drops all lines that were not used since the last call, and used ones only if that is
// not enough. The caller holds adding.
func (s *Set) forget() {
	room := max(s.options.Idle/4, 1)
	idle := 0
	for l := range s.all {
		switch l.retire(false) {
		case dropped:
			s.remove(l)
		case idling:
			idle++
		}
	}
	for l := range s.all {
		if idle <= s.options.Idle-room {
			break
		}
		if l.retire(true) == dropped {
			s.remove(l)
			idle--
		}
	}
	s.sweep = s.count + room
}

// find returns the line of an action, nil if there is none.
func (s *Set) find(action string) *line {
	l, _ := s.lines.Load(action)
	found, _ := l.(*line)
	return found
}

// remove removes a line from the table. The caller holds adding.
func (s *Set) remove(l *line) {
	s.lines.Delete(l.action)
	s.count--
}

// all yields the lines. It may or may not yield a line that is added or removed during the iteration.
func (s *Set) all(yield func(*line) bool) {
	s.lines.Range(func(_, l any) bool { return yield(l.(*line)) })
}

// fate is the outcome of retire for a line.
type fate int

const (
	busy fate = iota
	idling
	dropped
)

// retire makes an idle line unusable if it has not been used since the last call, or if it must go
// in any case.
func (l *line) retire(must bool) fate {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case len(l.running)+len(l.waiting) > 0:
		return busy
	case l.used && !must:
		l.used = false
		return idling
	}
	l.forgotten = true
	return dropped
}
