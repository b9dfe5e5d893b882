// This file defines how a node reads the log, and reacts to its records.

package dist

import (
	"context"
	"errors"
	"time"
)

// read applies the records of the log.
func (n *Node) read(ctx context.Context) {
	at := Position(0)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := n.opts.Log.Follow(ctx, at, func(p Position, data []byte) error {
			if p <= at {
				return nil // it is delivered again
			}
			r, err := Decode(data)
			if err != nil {
				return &damaged{err}
			}
			if err := n.applied(p, r); err != nil {
				return &damaged{err}
			}
			at, pause = p, firstPause
			return nil
		})
		if bad := (*damaged)(nil); errors.As(err, &bad) || errors.Is(err, ErrBroken) {
			n.End(err)
			return
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// damaged is the error of a log with a record that no node has written.
type damaged struct{ cause error }

func (d *damaged) Error() string { return "the log of the run is damaged: " + d.cause.Error() }

// Unwrap returns the cause.
func (d *damaged) Unwrap() error { return d.cause }

// applied takes the next record.
func (n *Node) applied(at Position, r *Record) error {
	n.mu.Lock()
	counts, err := n.st.Apply(at, r)
	if err != nil {
		n.mu.Unlock()
		return err
	}
	n.react(r, counts)
	if r.Node == n.opts.Name && r.Kind != Dead {
		if t := n.tickets[r.Number]; t != nil {
			delete(n.tickets, r.Number)
			t.applied, t.counts = true, counts
			if t.then != nil {
				t.then(counts)
			}
		}
	}
	n.lead()
	n.changed()
	later := n.later
	n.later = nil
	n.mu.Unlock()
	for _, f := range later {
		f()
	}
	return nil
}

// Lead makes the node lead the run as soon as no other node does.
func (n *Node) Lead() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.opts.Follow = false
	n.lead()
}

// lead asks for the lead if nobody has it. The caller holds mu.
func (n *Node) lead() {
	if n.opts.Follow || n.st.leader != "" || !n.joined || n.asked || n.over != nil || n.st.final != nil || n.st.halted {
		return
	}
	n.asked = true
	n.enqueue(n.leadRecord(), func(bool) { n.asked = false })
}

// react handles a record on this node. The caller holds mu.
func (n *Node) react(r *Record, counts bool) {
	me := n.opts.Name
	switch {
	case r.Kind == Dead && r.Node == me:
		n.end(ErrRestart, "it was declared dead")
	case n.st.halts > n.opts.Session && !n.halting:
		n.end(ErrHalted, "")
	case !counts:
	case r.Kind == Lead && n.joined && n.fits() != nil:
		n.end(n.fits(), "")
	case r.Kind == Dead:
		n.deaths[r.Node] = time.Now()
		n.moved()
	case r.Kind == Lead, r.Kind == Release, r.Kind == Claim && r.Node == me:
		n.moved()
	case r.Kind == Claim:
		if s := n.sharing[r.ID]; s != nil && len(s.nested) > 0 {
			n.wake(s) // an element in the unit may be one to follow
		}
	case r.Kind == End && r.Node != me:
		n.reactEnd(r)
	case r.Kind == Settle:
		if f := n.settled; f != nil && r.Node != me && n.pends[r.ID] {
			n.later = append(n.later, func() { f(r.ID) })
		}
	case r.Kind == Values:
		if s := n.sharing[r.ID]; s != nil {
			s.got(r.Values)
		}
	case r.Kind == Close:
		n.reactClose(r)
	case r.Kind == Open:
		n.reactOpen(r)
	case r.Kind == Secret && r.Node != me && n.secret != nil:
		f, sealed := n.secret, r.parsed[0].Secret
		n.later = append(n.later, func() { f(sealed) })
	}
}

// moved is called when other nodes may decide than before. A guard that the former owner held is not this node's: an
// evaluation that continues in its body begins again, and takes it.
func (n *Node) moved() {
	for path := range n.borrowed {
		if n.st.owner(path) == n.opts.Name {
			n.end(ErrRestart, "it decides for an evaluation that has the guard of another node, "+path)
		}
	}
	for _, s := range n.sharing {
		s.from = 0
		if s.waits || len(s.following) > 0 {
			s.request()
		}
		n.wake(s)
	}
}

// wake has workers of an operation started. The caller holds mu.
func (n *Node) wake(s *sharing) {
	if s.wake != nil {
		n.later = append(n.later, s.wake)
	}
}
