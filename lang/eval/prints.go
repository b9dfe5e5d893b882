// This file defines the prints of elements and of their operations.
//
// An element collects its prints in a sheet, under its own account. The prints of an operation are
// those of its elements, in order, up to the one that ended it. They stay in the sheets after the
// output has received them (see outlet.go), so that accounts, journals and captured prints do not
// depend on timing.

package eval

import (
	"maps"
	"slices"
	"strings"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/eval/internal/machine"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// sheet has the prints of a running element. It belongs to the machine, which uses it for one element
// after the other.
type sheet struct {
	machine.Capture
	marks []mark
	paths int64      // bytes of the paths in marks
	inner *operation // of the element, if elements of that have printed
	open  bool       // it is among the open ones of its operation
}

// mark is a byte of a sheet at which the text of another evaluation begins: of the one at a path, or, if
// that is empty, of the sheet's own evaluation again.
type mark struct {
	from    int
	element string
}

const (
	sheetSize = int(unsafe.Sizeof(sheet{}))
	markSize  = int(unsafe.Sizeof(mark{}))
	moreSize  = int(unsafe.Sizeof(more{}))
)

// bytes returns the size of a sheet.
func (s *sheet) bytes() int64 {
	if s == nil || len(s.Text) == 0 {
		return 0
	}
	return s.Capture.Bytes() + limits.ObjectSize(sheetSize) + s.marksBytes()
}

func (s *sheet) marksBytes() int64 { return marksSize(cap(s.marks)) + s.paths }

func marksSize(n int) int64 {
	if n == 0 {
		return 0
	}
	return limits.ObjectSize(n * markSize)
}

// printed has the prints of an element that has ended, up to the limit.
type printed struct {
	text string
	more *more // nil for most
}

type more struct {
	marks   []mark
	dropped int // bytes beyond the limit
}

func (p printed) marks() []mark {
	if p.more == nil {
		return nil
	}
	return p.more.marks
}

func (p printed) dropped() int {
	if p.more == nil {
		return 0
	}
	return p.more.dropped
}

// cutoff has the prints of an element that did not reach its end, and those of the elements below it.
type cutoff struct {
	printed
	inner []piece
}

// flowing reports whether the prints of an operation become final before the operation ends, and whether
// the prints of an element become final before the element ends. Neither holds in a scope, which drops the
// prints of its operations when its bound is hit, nor in an operation that needs only some of its elements.
// The prints of futures are kept until all have ended: one that begins again has printed nothing.
func (m *Evaluation) flowing(op *operation) (flows, streams bool) {
	flows = !op.captured && !op.Futures && len(m.scopes) == 0 && (m.op == nil || m.op.streams)
	return flows, flows && op.Until != value.UntilEnough
}

// beginPrints makes an operation ready for the prints of its elements. A worker needs its sheet before
// it waits, because the elements of the operation look for it.
func (m *Evaluation) beginPrints(op *operation) {
	op.flows, op.streams = m.flowing(op)
	op.ends = make([]uint32, (op.n+31)/32)
	if m.op != nil {
		op.outlet = m.op.outlet
		m.needSheet()
		return
	}
	op.outlet = newOutlet(m)
	if op.flows {
		op.outlet.top = op
	}
}

func (m *Evaluation) needSheet() *sheet {
	if m.sheet == nil {
		m.sheet = &sheet{}
	}
	return m.sheet
}

// add adds text to the prints of an element, up to the limit. The marks name the evaluations that have
// printed it. The first passed bytes have been handed over.
func (m *Evaluation) add(text string, marks []mark, passed int) {
	op, s := m.op, m.needSheet()
	text, dropped := m.fitting(text)
	if text == "" {
		m.printed += dropped
		return
	}
	if len(s.Text) == 0 {
		m.Charge(limits.ObjectSize(sheetSize))
	}
	who, paths := m.withMarks(s, marks, len(text))
	all := m.Gathered(s.Text, text)
	m.printed += dropped
	if !op.streams {
		s.Text, s.marks, s.paths = all, who, paths
		return
	}
	o := op.outlet
	o.mu.Lock()
	s.Text, s.marks, s.paths = all, who, paths
	if passed > 0 { // so the cursor of op is at the element
		op.sent = min(op.sent+passed, len(all))
	}
	op.opened(m.index, s)
	op.hold()
	o.release(m)
}

// fitting returns how much of a text an element may print, and the number of bytes beyond.
func (m *Evaluation) fitting(text string) (kept string, dropped int) {
	room := m.Limits().OutputBytes - len(m.sheet.Text)
	if m.printed > 0 { // text after a cut is beyond the limit too
		room = 0
	}
	if m.op.captured || len(text) <= room {
		return text, 0
	}
	kept = strings.ToValidUTF8(text[:max(room, 0)], "")
	return kept, len(text) - len(kept)
}

// withMarks returns the marks of a sheet, and those of the n bytes that come next.
func (m *Evaluation) withMarks(s *sheet, marks []mark, n int) (who []mark, paths int64) {
	who, paths = s.marks, s.paths
	if len(marks) == 0 {
		return who, paths
	}
	if need := len(who) + len(marks) + 1; need > cap(who) {
		room := max(need, 2*cap(who))
		m.Charge(marksSize(room))
		who = append(make([]mark, 0, room), who...)
		m.Credit(marksSize(cap(s.marks)))
	}
	for _, k := range marks {
		if k.from >= n { // of the cut text
			break
		}
		size := limits.BytesSize(len(k.element))
		m.Charge(size)
		paths += size
		who = append(who, mark{len(s.Text) + k.from, k.element})
	}
	return append(who, mark{from: len(s.Text) + n}), paths
}

// handIn takes the prints of element i, which has printed something. It returns how many bytes of the
// account they take.
func (op *operation) handIn(i int, m *Evaluation) (size int64) {
	s := m.sheet
	p := printed{text: string(s.Text)}
	size = textSize + 2*int64(len(p.text)) // it will be joined with the others
	if len(s.marks) > 0 || m.printed > 0 {
		p.more = &more{slices.Clone(s.marks), m.printed}
		size += 2*(marksSize(len(s.marks))+s.paths) + limits.ObjectSize(moreSize)
	}
	op.outlet.mu.Lock()
	defer op.outlet.mu.Unlock()
	if op.m.op != nil && !op.captured {
		size += 2*int64(markSize) + limits.BytesSize(len(op.elementPath(i)))
	}
	if op.texts == nil {
		op.texts = make(map[int]printed)
	}
	op.texts[i] = p
	delete(op.open, i)
	if op.flows {
		op.hold()
	}
	*s = sheet{}
	return size
}

// cutOff keeps the prints of an element that was cancelled, or ended too late, and has not handed them in. They are
// used only if the run is over. The element has a sheet.
func (op *operation) cutOff(i int, m *Evaluation) {
	s := m.sheet
	if !s.open && len(s.Text) == 0 {
		return
	}
	op.outlet.mu.Lock()
	defer op.outlet.mu.Unlock()
	delete(op.open, i)
	if len(s.Text) > 0 && !op.captured {
		c := op.cut[i]
		c.printed = printed{s.string(), &more{s.marks, m.printed}}
		op.keep(i, c)
	}
	*s = sheet{}
}

// keep stores a cutoff. The caller holds the outlet's mu.
func (op *operation) keep(i int, c cutoff) {
	if op.cut == nil {
		op.cut = make(map[int]cutoff)
	}
	op.cut[i] = c
}

// string returns the text of a sheet, which is never overwritten.
func (s *sheet) string() string { return unsafe.String(unsafe.SliceData(s.Text), len(s.Text)) }

// endPrints is called when no element of an operation runs any more. If the run is over,
// everything that they have printed arrives, or is kept for the operation around it.
func (m *Evaluation) endPrints(op *operation) {
	o := op.outlet
	o.mu.Lock()
	if m.op == nil {
		o.top = nil
	} else {
		m.sheet.inner = nil
	}
	o.mu.Unlock()
	if op.captured || !m.endsRun(op) && !m.opts.Scheduler.Cancelled() {
		op.cut = nil
		return
	}
	rest := op.rest()
	op.cut = nil
	if m.op == nil {
		m.handOver(rest)
	} else if len(rest) > 0 {
		o.mu.Lock()
		defer o.mu.Unlock()
		m.op.keep(m.index, cutoff{inner: rest})
	}
}

// rest returns everything that was printed in an operation and not handed over.
func (op *operation) rest() (all []piece) {
	elements := slices.AppendSeq(slices.Collect(maps.Keys(op.texts)), maps.Keys(op.cut))
	slices.Sort(elements)
	for _, i := range slices.Compact(elements) {
		if i < op.next {
			continue
		}
		p, ok := op.texts[i]
		c := op.cut[i]
		if !ok {
			p = c.printed
		}
		all = append(op.pieces(all, i, p, op.sentOf(i)), c.inner...)
		op.m.printed += p.dropped()
	}
	return all
}

// sentOf returns how many bytes of an element at the cursor, or above, have been handed over.
func (op *operation) sentOf(i int) int {
	if i == op.next {
		return op.sent
	}
	return 0
}

// join collects the prints of the first n elements, as one text if that is needed.
func (op *operation) join(n int) {
	op.needed = n
	if len(op.texts) == 0 {
		return
	}
	size, marks := 0, 0
	for i := range n {
		p := op.texts[i]
		if op.dropped > 0 { // see fitting
			op.dropped += len(p.text)
			delete(op.texts, i)
			p.text = ""
		}
		op.dropped += p.dropped()
		size += len(p.text)
		marks += 1 + len(p.marks())
	}
	if op.m.op == nil && !op.captured && op.m.opts.Journal == nil {
		return
	}
	var b strings.Builder
	b.Grow(size)
	if op.m.op != nil && !op.captured {
		op.marks = make([]mark, 0, marks)
	}
	for i := range n {
		p, ok := op.texts[i]
		if ok && op.marks != nil {
			op.mark(b.Len(), i, p)
		}
		b.WriteString(p.text)
		if i < op.next {
			op.passed += len(p.text)
		}
	}
	op.passed += op.sent
	op.out = b.String()
}

// mark adds the marks of the text of element i, which begins at a byte of the joined text.
func (op *operation) mark(at, i int, p printed) {
	own := op.elementPath(i)
	op.paths += limits.BytesSize(len(own))
	op.marks = append(op.marks, mark{at, own})
	for _, k := range p.marks() {
		if k.element == "" {
			k.element = own
		}
		op.marks = append(op.marks, mark{at + k.from, k.element})
	}
}

// joinedBytes returns the size of the joined text.
func (op *operation) joinedBytes() int64 {
	return int64(len(op.out)) + marksSize(cap(op.marks)) + op.paths
}

// printOperation prints the prints of an operation's elements, on behalf of the evaluation that has
// waited for it.
func (m *Evaluation) printOperation(op *operation) {
	switch {
	case m.Captures():
		if op.out != "" {
			m.Captured(op.out)
		}
	case m.op != nil:
		m.add(op.out, op.marks, op.passed)
	default:
		if op.out != "" && !m.endsUnfinished(op.failure()) {
			m.note(effect.Effect{Kind: effect.KindPrint, Args: quoted(op.out)})
		}
		for i := op.next; i < op.needed && len(op.texts) > 0; i++ {
			m.handOver(op.pieces(nil, i, op.texts[i], op.sentOf(i)))
			delete(op.texts, i)
		}
	}
	m.printed += op.dropped
	op.out, op.marks, op.paths, op.texts, op.dropped = "", nil, 0, nil, 0
}
