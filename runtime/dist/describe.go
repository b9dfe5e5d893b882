// This file describes nodes and logs for people who look for the cause of a problem.

package dist

import (
	"fmt"
	"slices"
	"strings"
)

// Name returns the incarnation.
func (n *Node) Name() string { return n.opts.Name }

// Why returns why the evaluation began again, or had to; "" if it did not.
func (n *Node) Why() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.why
}

// Describe returns the knowledge and the waits of the node, in some lines.
func (n *Node) Describe() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%s: leader %q, applied %d, over %v, %d queued, pends %v, borrowed %v\n", n.opts.Name, n.st.leader,
		n.st.applied, n.over, len(n.queue), n.pends, n.borrowed)
	for path, o := range n.st.operations {
		fmt.Fprintf(&b, "  %s: %d of %d, holders %q, closed %t %d\n", path, o.known, o.n, o.holders, o.closed, o.last)
	}
	for path := range n.waits {
		fmt.Fprintf(&b, "  waits for %q, which decides for %s\n", n.st.owner(path), path)
	}
	for path, s := range n.sharing {
		fmt.Fprintf(&b, "  shares %s: %d issued, queue %v, ready %v, nested %v, following %v, asked %v, over %t\n",
			path, s.count, s.queue, s.ready, s.nested, s.following, s.asked, s.over)
	}
	return b.String()
}

// Describe returns the records of the log, one on each line, and whether each counts.
func (l *Memory) Describe() string {
	l.mu.Lock()
	items := slices.Clone(l.items)
	l.mu.Unlock()
	var b strings.Builder
	st := NewState()
	for i, item := range items {
		r, err := Decode(item.Data)
		if err != nil {
			fmt.Fprintf(&b, "%d %v\n", i+1, err)
			continue
		}
		counts, err := st.Apply(Position(i+1), r)
		fmt.Fprintf(&b, "%d %t %s\n", i+1, counts, r)
		if err != nil {
			fmt.Fprintf(&b, "   %v\n", err)
		}
	}
	return b.String()
}

// String describes a record on one line.
func (r *Record) String() string {
	s := fmt.Sprintf("%s %s %s", r.Node, r.Kind, r.ID)
	switch r.Kind {
	case Open:
		s += fmt.Sprintf(" %d elements in units of %d after effect %d", r.Elements, r.Size, r.Effects)
	case Claim, Release:
		s += fmt.Sprintf(" unit %d", r.Unit)
	case Close:
		s += fmt.Sprintf(" after %d", r.Last)
	case Values:
		for _, v := range r.Values {
			s += fmt.Sprintf(" %d(%t)", v.Index, v.Plain)
		}
	case Begun, Begin, End, Settle, Final:
		s += fmt.Sprintf(" %.300s", r.Line)
	case Halt:
		s += r.Text
	}
	return s
}
