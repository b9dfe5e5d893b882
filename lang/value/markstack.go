// This file defines the stack of a mark.

package value

// markStack holds objects that were found live and have not been scanned. It consists of parts,
// because a slice that grows would need memory for its copy. So it takes the bytes that were charged
// with its objects (markSlot), 16 bytes for each part, and two further parts.
type markStack struct {
	top   *markPart
	spare *markPart
	depth int // number of objects it holds
}

type markPart struct {
	below   *markPart
	n       int
	objects [markPartSize]*Header
}

// markPartSize makes a part 2 KB.
const markPartSize = 254

func (s *markStack) push(h *Header) {
	p := s.top
	if p == nil || p.n == markPartSize {
		p = s.grow()
	}
	p.objects[p.n] = h
	p.n++
	s.depth++
}

func (s *markStack) grow() *markPart {
	p := s.spare
	if p == nil {
		p = new(markPart)
	}
	s.spare, p.below, s.top = nil, s.top, p
	return p
}

// pop removes and returns the object that was pushed last. The stack must not be empty.
func (s *markStack) pop() *Header {
	p := s.top
	p.n--
	h := p.objects[p.n]
	if p.n == 0 && p.below != nil {
		s.top, s.spare = p.below, p
	}
	s.depth--
	return h
}
