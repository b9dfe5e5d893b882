// This file defines the spread of an evaluation: what the allocator of Go may hold for
// it, beside what lives.
//
// The allocator never moves a block, and gives a span back when no block in it lives. So
// a program that fills its account with blocks of one class, keeps one in each span, and
// does the same with the next class, makes Go hold many times what the account knows: 13
// times its cap was measured. The spread is a bound on that. It does not look at the
// heap, so that it is the same in every run; it follows from two rules of the allocator:
//
//   - A new span is begun when the others of its class are full. So the spans of a class
//     never hold more than the blocks of that class that were there at once, counting
//     those that are garbage but not collected.
//   - A collection leaves a span only if one of its blocks lives. So after it there are
//     at most as many spans as blocks.
//
// When garbage is collected the spread takes from cycles: a mark ends one, and the cap's
// worth of memory that was credited between marks. The heap of Go may be collected less
// often where it is larger than the cap; there the bound holds for the sum of the caps,
// if the process sets its soft memory limit to some more than that sum.

package limits

// An evaluation may spread over spreadFactor times its cap, and spreadRoom. Programs
// that do not mean to stay below 1.9 caps, and what is allocated until the next mark is
// at most one cap more. The room is a span of each class, below which it says nothing
// how blocks lie: it matters for caps of less than a megabyte.
const (
	spreadFactor = 3
	spreadRoom   = 1 << 20
)

// spread is the part of a meter that bounds what the allocator holds.
type spread struct {
	*history // nil until a cycle has ended: most evaluations have one

	from     int64 // what the account held when the cycle began
	credited int64 // bytes, in it
	cycle    int64 // the length of a cycle, in bytes: the cap
	limit    int64 // see SpreadLimit
}

// history is what is known of the cycles before.
type history struct {
	live  [numClasses]int32 // blocks when the cycle began, at most
	freed [numClasses]int32 // blocks credited in it
	high  [numClasses]int64 // bytes of the spans of a class, at most
	soft  [numClasses]int64 // and those that blocks of unknown classes may have added
	loose int64             // the most that they may have added to all classes together
	taken *Pins             // from workers, in it; nil for none
	held  int64             // at the last mark: the bound itself
}

// none is the history of the first cycle.
var none history

// past gives what is known of the cycles before, to be read.
func (s *spread) past() *history {
	if s.history == nil {
		return &none
	}
	return s.history
}

// begun gives it to be changed.
func (s *spread) begun() *history {
	if s.history == nil {
		s.history = new(history)
	}
	return s.history
}

// Pin is how many bytes of the spans of a class some blocks keep.
type Pin struct {
	class Class
	bytes int64
}

// Pins are such bytes of each class.
type Pins [numClasses]int64

// Add adds to the pins, and gives the sum of what it added.
func (p *Pins) Add(list []Pin) (sum int64) {
	for _, q := range list {
		p[q.class] += q.bytes
		sum += q.bytes
	}
	return sum
}

// Cover raises the pins to those of q where these are more, and gives their sum.
func (p *Pins) Cover(q *Pins) (sum int64) {
	for k := range p {
		p[k] = max(p[k], q[k])
		sum += p[k]
	}
	return sum
}

// Free notes that a block which was counted is credited.
func (m *Meter) Free(c Class) {
	if m.spread.history == nil && m.spread.credited < littleFreed {
		return // it counts as live until the next mark, which is more than it takes
	}
	m.spread.begun().freed[c]++
}

// littleFreed is how many bytes may be credited before it is noted of which classes. Most
// elements of an operation credit less, and need no history.
const littleFreed = 64 << 10

// Credit gives n charged bytes back. Only what replaces its own block may do so.
func (m *Meter) Credit(n int64) {
	m.used -= n
	m.spread.credited += n
	if m.spread.credited > m.spread.cycle {
		m.endCycle()
		m.checkSpread()
	}
}

// looseBytes gives the bytes charged in this cycle for blocks that were not counted, such
// as what arithmetic on large numbers takes on its way. Their class is not known.
func (m *Meter) looseBytes() int64 {
	n := m.used - m.spread.from + m.spread.credited - int64(m.Born[NoClass])*pageSize
	for k := range numClasses {
		n -= int64(m.Born[k]) * layouts[k].block
	}
	return max(n, 0)
}

// peak gives the most bytes of a class that there were, up to now. Counts of unknown
// classes may have added soft: they matter where a new block of the class lies among them.
func (m *Meter) peak(k int, loose int64) (high, soft int64) {
	s, born := m.spread.past(), int64(m.Born[k])
	high = (int64(s.live[k]) + born) * layouts[k].block
	if s.taken != nil {
		high += s.taken[k]
	}
	return max(s.high[k], high), max(s.soft[k], min(loose, born*layouts[k].span))
}

// endCycle ends a cycle and gives the bytes of it whose class is not known.
func (m *Meter) endCycle() (loose int64) {
	s := m.spread.begun()
	loose = m.looseBytes()
	s.loose += loose
	for k := range s.high {
		s.high[k], s.soft[k] = m.peak(k, loose)
		s.live[k] = max(s.live[k]+m.Born[k]-s.freed[k], 0)
	}
	m.Born, s.freed, s.taken = Counts{}, [numClasses]int32{}, nil
	m.spread.from, m.spread.credited = m.used, 0
	return loose
}

// checkSpread has the account count as full if it may be spread too widely: the mark
// that follows tells.
func (m *Meter) checkSpread() {
	s := m.spread.past()
	sum := s.loose
	for _, n := range s.high {
		sum += n
	}
	if sum > m.SpreadLimit() {
		m.SetUsed(max(m.used, m.cap))
	}
}

// Marked sets what is live after a mark: so many bytes, and these blocks among them.
func (m *Meter) Marked(bytes int64, live *Counts) {
	loose := m.endCycle()
	s := m.spread.begun()
	s.held = bytes
	var soft int64
	for k := range s.high {
		n := int64(live[k])
		s.live[k] = live[k]
		s.high[k] = min(max(s.high[k], n*layouts[k].block), n*layouts[k].span)
		s.soft[k] = min(s.soft[k], n*layouts[k].span-s.high[k])
		s.held += s.high[k] - n*layouts[k].block
		soft += s.soft[k]
	}
	s.loose = min(s.loose, soft)
	s.held += s.loose
	m.SetUsed(bytes)
	if probing {
		probeMark(m, loose)
	}
}

// Spread gives the bytes that the allocator held for the evaluation after the last
// mark, at most; SpreadLimit how many it may.
func (m *Meter) Spread() int64 { return m.spread.past().held }

// SpreadNow returns the bytes that the allocator may hold for the evaluation by now, at most.
func (m *Meter) SpreadNow() int64 {
	loose := m.looseBytes()
	sum := m.spread.past().loose + loose
	for k := range numClasses {
		high, _ := m.peak(k, loose)
		sum += high
	}
	return sum
}

// SpreadLimit says how far the evaluation may spread.
func (m *Meter) SpreadLimit() int64 { return m.spread.limit }

// SpreadOf returns how far an evaluation may spread that may hold memory bytes, all of its own.
func SpreadOf(memory int64) int64 { return spreadFactor*memory + spreadRoom }

// Pin appends the pins of blocks that the evaluation gives to another one.
func (m *Meter) Pin(given *Counts, list []Pin) []Pin {
	// One pass finds the classes, few as a rule, and what looseBytes gives.
	var some [numClasses]Class
	n, loose := 0, m.used-m.spread.from+m.spread.credited-int64(m.Born[NoClass])*pageSize
	for k := 1; k < numClasses; k++ {
		if m.Born[k]|given[k] == 0 {
			continue
		}
		loose -= int64(m.Born[k]) * layouts[k].block
		if given[k] > 0 {
			some[n] = Class(k)
			n++
		}
	}
	for _, k := range some[:n] {
		high, soft := m.peak(int(k), max(loose, 0))
		list = append(list, Pin{k, min(int64(given[k])*layouts[k].span, high+soft)})
	}
	return list
}

// TakePins notes that the evaluation has got blocks of workers, which keep such spans.
func (m *Meter) TakePins(pins *Pins) {
	s := m.spread.begun()
	if s.taken == nil {
		s.taken = new(Pins)
	}
	var sum int64
	for k := range pins {
		s.taken[k] += pins[k]
		sum += s.taken[k]
	}
	if sum > m.spread.cycle {
		m.endCycle()
		m.checkSpread()
	}
}

// ResetSpread forgets the spread, for an evaluation that holds nothing yet.
func (m *Meter) ResetSpread() {
	m.Born = Counts{}
	m.spread = spread{cycle: m.spread.cycle, limit: m.spread.limit, from: m.used}
}
