// This file defines the fragmentation of an evaluation: the memory that Go's allocator may hold for it in
// addition to the live bytes.
//
// The allocator never moves a block, and releases a span only when no block in it is live. So a
// program that fills its account with blocks of one class, keeps one in each span, and does the
// same with the next class, makes Go hold many times the bytes in the account: 13 times its cap was
// measured. The bound of the fragmentation limits this. It does not examine the heap, so that it is
// the same in every run. It follows from two rules of the allocator:
//
//   - A new span is begun when the others of its class are full. So the spans of a class never hold
//     more than the blocks of that class that existed at one time, including uncollected garbage.
//   - A collection keeps a span only if one of its blocks is live. So after it there are at most as
//     many spans as blocks.
//
// The account assumes that garbage is collected once in a cycle. A mark ends a cycle, and so does a
// cap's worth of memory credited between marks. Go's heap may be collected less often if it is
// larger than the cap. Then the bound holds for the sum of the caps, if the process sets its soft
// memory limit slightly above that sum.

package limits

// The allocator may hold fragmentationFactor times the cap of an evaluation plus fragmentationRoom.
// Programs that are not built to fragment stay below 1.9 caps, and at most one cap more is
// allocated until the next mark. The room is a span of each class, because below that the placement
// of blocks means nothing. It matters for caps of less than a megabyte.
const (
	fragmentationFactor = 3
	fragmentationRoom   = 1 << 20
)

// fragmentation is the part of a meter that bounds the memory of the allocator.
type fragmentation struct {
	*history // nil until a cycle has ended: most evaluations have only one

	from     int64 // bytes in the account when the cycle began
	credited int64 // bytes credited in the cycle
	cycle    int64 // the length of a cycle, in bytes: the cap
	limit    int64 // see FragmentationLimit
}

// history holds the data of the earlier cycles.
type history struct {
	live  [numClasses]int32 // upper bound of the blocks when the cycle began
	freed [numClasses]int32 // blocks credited in the cycle
	high  [numClasses]int64 // upper bound of the bytes of the spans of a class
	soft  [numClasses]int64 // bytes that blocks of unknown classes may have added
	loose int64             // upper bound of the bytes that they may have added to all classes together
	taken *Pins             // from workers, in the cycle; nil for none
	held  int64             // at the last mark: the bound itself
}

// none is the history of the first cycle.
var none history

// past returns the history for reading.
func (s *fragmentation) past() *history {
	if s.history == nil {
		return &none
	}
	return s.history
}

// begun returns the history for writing.
func (s *fragmentation) begun() *history {
	if s.history == nil {
		s.history = new(history)
	}
	return s.history
}

// Pin is the number of bytes of the spans of a class that some blocks keep.
type Pin struct {
	class Class
	bytes int64
}

// Pins holds these bytes for each class.
type Pins [numClasses]int64

// Add adds list to the pins and returns the sum of the added bytes.
func (p *Pins) Add(list []Pin) (sum int64) {
	for _, q := range list {
		p[q.class] += q.bytes
		sum += q.bytes
	}
	return sum
}

// Cover raises the pins to those of q where these are larger, and returns their sum.
func (p *Pins) Cover(q *Pins) (sum int64) {
	for k := range p {
		p[k] = max(p[k], q[k])
		sum += p[k]
	}
	return sum
}

// Free records that a counted block was credited.
func (m *Meter) Free(c Class) {
	if m.fragmentation.history == nil && m.fragmentation.credited < littleFreed {
		return // it counts as live until the next mark, which is more than its size
	}
	m.fragmentation.begun().freed[c]++
}

// littleFreed is the number of bytes that may be credited before their classes are recorded. Most
// elements of an operation credit less, and need no history.
const littleFreed = 64 << 10

// Credit returns n charged bytes to the account. Only code that replaces its own block may call it.
func (m *Meter) Credit(n int64) {
	m.most = max(m.most, m.used)
	m.used -= n
	m.fragmentation.credited += n
	if m.fragmentation.credited > m.fragmentation.cycle {
		m.endCycle()
		m.checkFragmentation()
	}
}

// looseBytes returns the bytes charged in this cycle for blocks that were not counted, such as
// temporary memory of arithmetic on large numbers. Their class is unknown.
func (m *Meter) looseBytes() int64 {
	n := m.used - m.fragmentation.from + m.fragmentation.credited - int64(m.Born[NoClass])*pageSize
	for k := range numClasses {
		n -= int64(m.Born[k]) * layouts[k].block
	}
	return max(n, 0)
}

// peak returns the largest number of bytes of a class at any time so far. Blocks of unknown classes
// may have added soft bytes, which matter where a new block of the class is among them.
func (m *Meter) peak(k int, loose int64) (high, soft int64) {
	s, born := m.fragmentation.past(), int64(m.Born[k])
	high = (int64(s.live[k]) + born) * layouts[k].block
	if s.taken != nil {
		high += s.taken[k]
	}
	return max(s.high[k], high), max(s.soft[k], min(loose, born*layouts[k].span))
}

// endCycle ends a cycle and returns the bytes in it whose class is unknown.
func (m *Meter) endCycle() (loose int64) {
	s := m.fragmentation.begun()
	loose = m.looseBytes()
	s.loose += loose
	for k := range s.high {
		s.high[k], s.soft[k] = m.peak(k, loose)
		s.live[k] = max(s.live[k]+m.Born[k]-s.freed[k], 0)
	}
	m.Born, s.freed, s.taken = Counts{}, [numClasses]int32{}, nil
	m.fragmentation.from, m.fragmentation.credited = m.used, 0
	return loose
}

// checkFragmentation makes the account count as full if the fragmentation may be too large. The mark that follows
// determines it.
func (m *Meter) checkFragmentation() {
	s := m.fragmentation.past()
	sum := s.loose
	for _, n := range s.high {
		sum += n
	}
	if sum > m.FragmentationLimit() {
		m.SetUsed(max(m.used, m.cap))
	}
}

// Marked sets the live bytes after a mark, and the blocks among them.
func (m *Meter) Marked(bytes int64, live *Counts) {
	loose := m.endCycle()
	s := m.fragmentation.begun()
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

// Fragmentation returns an upper bound of the bytes that the allocator held for the evaluation after the
// last mark. FragmentationLimit returns their limit.
func (m *Meter) Fragmentation() int64 { return m.fragmentation.past().held }

// FragmentationNow returns an upper bound of the bytes that the allocator holds for the evaluation now.
func (m *Meter) FragmentationNow() int64 {
	loose := m.looseBytes()
	sum := m.fragmentation.past().loose + loose
	for k := range numClasses {
		high, _ := m.peak(k, loose)
		sum += high
	}
	return sum
}

// FragmentationLimit returns the limit of the fragmentation.
func (m *Meter) FragmentationLimit() int64 { return m.fragmentation.limit }

// FragmentationOf returns the limit of the fragmentation of an evaluation with a cap of memory bytes.
func FragmentationOf(memory int64) int64 { return fragmentationFactor*memory + fragmentationRoom }

// Pin appends the pins of blocks that the evaluation passes to another one.
func (m *Meter) Pin(given *Counts, list []Pin) []Pin {
	// One pass finds the classes, usually few, and the result of looseBytes.
	var some [numClasses]Class
	n, loose := 0, m.used-m.fragmentation.from+m.fragmentation.credited-int64(m.Born[NoClass])*pageSize
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

// TakePins records that the evaluation has received blocks of workers, which keep these spans.
func (m *Meter) TakePins(pins *Pins) {
	s := m.fragmentation.begun()
	if s.taken == nil {
		s.taken = new(Pins)
	}
	var sum int64
	for k := range pins {
		s.taken[k] += pins[k]
		sum += s.taken[k]
	}
	if sum > m.fragmentation.cycle {
		m.endCycle()
		m.checkFragmentation()
	}
}

// ResetFragmentation resets the fragmentation, for an evaluation that holds nothing yet.
func (m *Meter) ResetFragmentation() {
	m.Born = Counts{}
	m.fragmentation = fragmentation{cycle: m.fragmentation.cycle, limit: m.fragmentation.limit, from: m.used}
}
