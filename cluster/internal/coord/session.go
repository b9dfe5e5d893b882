// This file defines the sessions of nodes at the coordinator.

package coord

import (
	"context"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/peer"
)

// session is the state of a node at the coordinator. It ends a lease after the last message of the node.
type session struct {
	of                *term
	node, name        string
	incarnation       string
	batches           sync.Mutex // held while a batch is handled
	done              uint64     // the number of the last one
	expires           time.Time  // the mutex of the term guards it and the following fields
	timer             *time.Timer
	over, asserted    bool
	items             map[uint64]*item
	began             time.Time
	renewed           time.Time
	requests, granted int64

	outgoing sync.Mutex // guards the following fields; it is locked last
	first    uint64     // the number of the first of the events
	events   []event    // that the node has not acknowledged
	sent     uint64     // the last event that was in an answer
	news     chan struct{}
}

// emit adds an event.
func (s *session) emit(e event) {
	s.outgoing.Lock()
	defer s.outgoing.Unlock()
	s.events = append(s.events, e)
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// unseen returns the events after ack, which the node has seen. With fresh it returns none unless there is one that no
// answer had.
func (s *session) unseen(ack uint64, fresh bool) (answer events, ok bool) {
	s.outgoing.Lock()
	defer s.outgoing.Unlock()
	if ack >= s.first {
		n := min(ack-s.first+1, uint64(len(s.events)))
		s.events = s.events[n:]
		s.first += n
	}
	last := s.first + uint64(len(s.events)) - 1
	if fresh && last <= max(s.sent, ack) {
		return events{}, false
	}
	n, size := 0, 0
	for n < len(s.events) && size < maxBatchBytes {
		size += s.events[n].size()
		n++
	}
	s.sent = max(s.sent, s.first+uint64(n)-1)
	return events{First: s.first, Events: append([]event(nil), s.events[:n]...)}, true
}

// await returns the events after ack as soon as there is a new one, or after a time.
func (s *session) await(ctx context.Context, ack uint64, most time.Duration) events {
	timer := time.NewTimer(most)
	defer timer.Stop()
	for {
		if answer, ok := s.unseen(ack, true); ok {
			return answer
		}
		select {
		case <-s.news:
		case <-timer.C:
			answer, _ := s.unseen(ack, false)
			return answer
		case <-ctx.Done():
			return events{First: ack + 1}
		case <-s.of.ctx.Done():
			return events{First: ack + 1}
		}
	}
}

// renew finds the session of a message of a node, and renews its lease.
func (t *term) renew(from, name string) (*session, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sessions[name]
	if s == nil || s.over || s.node != from {
		return nil, &peer.Error{Code: codeNoSession, Message: "the coordinator " + t.node.name + " has no session " + name +
			" of " + from}
	}
	t.extend(s)
	return s, nil
}

// extend renews the lease of a session. The caller holds mu.
func (t *term) extend(s *session) {
	s.renewed = time.Now()
	s.expires = s.renewed.Add(t.node.lease)
	if s.timer == nil {
		s.timer = time.AfterFunc(t.node.lease, func() { t.lapse(s) })
	}
}

// lapse ends a session whose lease is over.
func (t *term) lapse(s *session) {
	t.mu.Lock()
	left := time.Until(s.expires)
	if left > 0 && !s.over {
		s.timer.Reset(left)
		t.mu.Unlock()
		return
	}
	t.mu.Unlock()
	if t.end(s) {
		t.node.log.Warn("node has lost its guards", "node", s.node, "reason", "it sent nothing for the time of a lease",
			"lease", t.node.lease)
	}
}

// end ends a session: its guards become free, and its requests stop waiting. It reports whether the session
// was still alive.
func (t *term) end(s *session) bool {
	t.mu.Lock()
	if s.over {
		t.mu.Unlock()
		return false
	}
	s.over = true
	s.timer.Stop()
	if t.sessions[s.name] == s {
		delete(t.sessions, s.name)
	}
	delete(t.expected, s.name)
	items := s.items
	s.items = nil
	t.mu.Unlock()
	for _, it := range items {
		it.leave(t, endCancelled)
	}
	t.forget(s.node, s.name)
	t.recovered()
	return true
}
