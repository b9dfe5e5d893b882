// This file defines how the output of a run receives the prints of parallel elements.
//
// A print is final when the program would have printed it in order too: when every element
// below has ended, and none of them has ended the operation. Each operation has a cursor at its lowest
// element that has not ended. When an element prints or ends, its goroutine moves the cursors, from the
// operation of the main evaluation down, claims the prints that became final, and hands them to the output.

package eval

import (
	"math/bits"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ptc-lang/ptc/lang/value"
)

// outlet receives the prints of a run's operations. Only claims are made under the lock, so a slow
// output delays only the evaluations whose prints are final.
type outlet struct {
	main *Evaluation // counts printed characters; it waits for the operations

	mu   sync.Mutex // guards the following fields, the sheets, and the print fields of operations
	top  *operation // of the main evaluation; nil if its prints wait for its end
	turn sync.Cond  // of claims, which are handed over in their order

	claims, served uint64
}

// piece is a part of the prints of one evaluation.
type piece struct{ element, text string }

// newOutlet makes the outlet of an operation of the main evaluation.
func newOutlet(main *Evaluation) *outlet {
	o := &outlet{main: main}
	o.turn.L = &o.mu
	return o
}

// opened notes that a running element has printed, or one below it. The caller holds the
// outlet's mu.
func (op *operation) opened(i int, s *sheet) {
	if s.open {
		return
	}
	s.open = true
	if op.open == nil {
		op.open = make(map[int]*sheet)
	}
	op.open[i] = s
}

// hold makes every element that ends from now on check whether its end makes prints final: elements of
// the operation and of all operations around it. The caller holds the outlet's mu.
func (op *operation) hold() {
	for {
		op.held.Store(true)
		m := op.m
		if m.op == nil {
			return
		}
		m.sheet.inner = op
		op = m.op
		op.opened(m.index, m.sheet)
	}
}

// finish records that element i has ended and has not ended the operation. If one element prints while
// another one ends, at least one of them sees the other's store.
func (op *operation) finish(i int, m *Evaluation) {
	at := uint(i) // cheaper to divide than an int
	atomic.OrUint32(&op.ends[at/32], 1<<(at%32))
	if op.Futures {
		op.wakeWaiters()
	}
	if op.held.Load() {
		o := op.outlet
		o.mu.Lock()
		o.release(m)
	}
}

func (op *operation) finished(i int) bool {
	return atomic.LoadUint32(&op.ends[i/32])>>(i%32)&1 != 0
}

// completed returns how many elements have ended well.
func (op *operation) completed() (n int) {
	if op.Until == value.UntilEnough {
		op.mu.Lock()
		defer op.mu.Unlock()
		return op.counted
	}
	for i := range op.ends {
		n += bits.OnesCount32(atomic.LoadUint32(&op.ends[i]))
	}
	return n
}

// release hands over the prints that have become final. The caller runs m, and holds mu, which release
// unlocks.
func (o *outlet) release(m *Evaluation) {
	for {
		var room [1]piece
		claimed := o.flow(room[:0])
		if len(claimed) == 0 {
			o.mu.Unlock()
			return
		}
		o.pass(m, claimed)
		if len(claimed) < most {
			return
		}
		o.mu.Lock()
	}
}

// most is the number of pieces at which a claim stops, because pieces take memory.
const most = 64

// flow moves the cursors of the operations, and claims the prints that have become final. The caller
// holds mu.
func (o *outlet) flow(claimed []piece) []piece {
	for op := o.top; op != nil; {
		var inner *operation
		for op.next < op.n && !op.stuck && len(claimed) < most {
			i := op.next
			ended := op.finished(i) // read first: it hands in before it ends
			p, ok := op.texts[i]
			if s := op.open[i]; s != nil && !ok && !ended && op.streams {
				p.text, inner = s.string(), s.inner
				if len(s.marks) > 0 {
					p.more = &more{marks: s.marks}
				}
			}
			if op.sent < len(p.text) {
				claimed = o.claim(op.pieces(claimed, i, p, op.sent), len(claimed))
				op.sent = len(p.text)
			}
			if !ended {
				break
			}
			op.advance(p)
		}
		op = inner
	}
	return claimed
}

// advance moves the cursor of an operation past an element that has printed p. The cursor stops if the
// results so far are too large, or if the limit on prints is reached.
func (op *operation) advance(p printed) {
	if op.m.op == nil && op.m.opts.Journal == nil { // nobody asks for it again
		op.dropped += p.dropped()
		delete(op.texts, op.next)
	}
	op.next, op.sent = op.next+1, 0
	op.stuck = p.dropped() > 0 || op.over.Load() || op.fragmentedBelow(op.next)
}

// fragmentedBelow reports whether results below element i are too fragmented. They are counted
// in parts, so it can only be so where a part begins.
func (op *operation) fragmentedBelow(i int) bool {
	if i < op.n && i*pinParts/op.n == (i-1)*pinParts/op.n {
		return false
	}
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.pinned <= op.share.fragmentation {
		return false
	}
	at := op.fragmentedAt()
	return at >= 0 && at < i
}

// pieces appends the prints of element i from a byte on, one piece for each evaluation that printed.
func (op *operation) pieces(to []piece, i int, p printed, from int) []piece {
	own, marks, k := "", p.marks(), 0
	for from < len(p.text) {
		for k < len(marks) && marks[k].from <= from {
			k++
		}
		next := piece{text: p.text[from:]}
		if k < len(marks) {
			next.text = p.text[from:marks[k].from]
		}
		if k > 0 {
			next.element = marks[k-1].element
		}
		if next.element == "" {
			if own == "" {
				own = op.elementPath(i)
			}
			next.element = own
		}
		to = append(to, next)
		from += len(next.text)
	}
	return to
}

// elementPath returns the path of an element, which the ids of its effects begin with. While the
// operation runs, the caller holds the outlet's mu.
func (op *operation) elementPath(i int) string {
	if op.prefix == "" {
		op.prefix = string(append(op.m.operationPath(op), '.'))
	}
	return op.prefix + strconv.Itoa(i)
}

// claim counts the pieces from one on, and leaves out prints beyond the limit.
func (o *outlet) claim(pieces []piece, from int) []piece {
	kept := pieces[:from]
	for _, p := range pieces[from:] {
		if p.text = o.main.within(p.text); p.text != "" {
			kept = append(kept, p)
		}
	}
	return kept
}

// pass hands over a claim, after the claims before it. The caller holds mu,
// which pass unlocks.
func (o *outlet) pass(m *Evaluation, claimed []piece) {
	turn := o.claims
	o.claims++
	o.mu.Unlock()
	m.opts.Scheduler.Block()
	defer m.opts.Scheduler.Unblock()
	o.await(turn)
	defer o.serve()
	for _, p := range claimed {
		m.opts.Output(p.element, p.text)
	}
}

func (o *outlet) await(turn uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.served != turn {
		o.turn.Wait()
	}
}

func (o *outlet) serve() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.served++
	o.turn.Broadcast()
}

// handOver outputs the prints of the main evaluation, or of one of its operations that has ended, up to
// the limit.
func (m *Evaluation) handOver(pieces []piece) {
	for _, p := range pieces {
		if p.text = m.within(p.text); p.text != "" {
			m.output(p)
		}
	}
}

// output passes a print of the main evaluation to the host. Meanwhile other runs use the processor.
func (m *Evaluation) output(p piece) {
	if s := m.opts.Scheduler; s != nil {
		s.Block()
		defer s.Unblock()
	}
	m.opts.Output(p.element, p.text)
}

// within counts a print, and returns the part of it that is output.
func (m *Evaluation) within(text string) string {
	room := m.Limits().OutputBytes - m.printed
	m.printed += len(text)
	switch {
	case m.opts.Output == nil || room <= 0:
		return ""
	case len(text) > room:
		return strings.ToValidUTF8(text[:room], "")
	}
	return text
}
