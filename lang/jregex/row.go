package jregex

// This file defines rows: patterns that are one character class, counted or not,
// after another, such as \s+, [^a-z]+, ,\s* or (\w+)=(\d+), and that are matched
// without ever going back. Most patterns of task programs are rows. Measured on
// 1 MB of text, splitting at [^a-z]+ takes 4 ms instead of 42, and a row need not
// be compiled, which takes 10 to 30 µs.
//
// A row never goes back because what can follow a counted class begins with no
// character of it: to match less of it can't help what follows. And it takes time
// in proportion to the text because no character is read more often than the row
// has items: see bounded.

import (
	"strings"
	"unicode/utf8"
)

// row is a compiled row.
type row struct {
	items    []item
	groups   [][2]int // by group: the items between which it lies
	first    item     // what a match begins with, if it is not empty
	head     int      // the first item, if all before it may match nothing, that has no limit; -1: none
	empty    bool     // all items may match nothing
	anchored bool     // begins with ^
}

// item is a class that is matched min to max times, or a text.
type item struct {
	text     string // if not empty, the item is this text
	min, max int    // max -1: no limit
	set      set
	bytes    [utf8.RuneSelf]bool // whether the set has an ASCII character
	wide     bool                // it has others
	open     bool                // has no limit, and something must follow
}

// maxItems bounds the items of a row, and so the time for a character.
const maxItems = 24

// rowOf gives the row that a pattern of so many groups is, nil if it is none.
func rowOf(root *node, groups int) *row {
	w := &row{groups: make([][2]int, groups+1)}
	if !w.add(root, true) || len(w.items) == 0 {
		return nil
	}
	w.groups[0] = [2]int{0, len(w.items)}
	for i := range w.items {
		it := &w.items[i]
		if it.max != it.min && len(it.set.intersect(w.start(i+1))) > 0 {
			return nil
		}
	}
	w.empty = w.canEnd(0)
	w.first = newItem(w.start(0), 1, 1)
	w.first.text = w.items[0].text
	w.head = -1
	optional := true // all items before
	for i := range w.items {
		it := &w.items[i]
		it.open = it.max < 0 && !w.canEnd(i+1)
		if w.head < 0 && it.max < 0 && optional {
			w.head = i
		}
		optional = optional && it.min == 0
	}
	if !w.bounded() {
		return nil
	}
	return w
}

// add appends the items of a node and says whether it can be part of a row. At the
// beginning of the pattern, ^ can.
func (w *row) add(n *node, begin bool) bool {
	if len(w.items) >= maxItems {
		return false
	}
	switch n.op {
	case opSet:
		w.items = append(w.items, newItem(n.set, 1, 1))
		return len(n.set) > 0
	case opLiteral:
		w.items = append(w.items, item{text: string(n.text), min: 1, max: 1, set: single(n.text[0])})
		return true
	case opBegin:
		w.anchored = true
		return begin && len(w.items) == 0
	case opSeq:
		for i, k := range n.kids {
			if !w.add(k, begin && i == 0) {
				return false
			}
		}
		return true
	case opGroup:
		from := len(w.items)
		if !w.add(n.kids[0], false) {
			return false
		}
		w.groups[n.index] = [2]int{from, len(w.items)}
		return true
	case opRepeat:
		kid := n.kids[0]
		if n.lazy || n.max == 0 {
			return false
		}
		switch {
		case kid.op == opSet && len(kid.set) > 0:
			w.items = append(w.items, newItem(kid.set, n.min, n.max))
		case kid.op == opLiteral && len(kid.text) == 1:
			w.items = append(w.items, newItem(single(kid.text[0]), n.min, n.max))
		default:
			return false
		}
		return true
	}
	return false
}

func newItem(s set, least, most int) item {
	it := item{set: s, min: least, max: most}
	for _, r := range s {
		for c := r.lo; c <= r.hi && c < utf8.RuneSelf; c++ {
			it.bytes[c] = true
		}
		it.wide = it.wide || r.hi >= utf8.RuneSelf
	}
	return it
}

// start gives the characters that a match of the items from i on can begin with.
func (w *row) start(i int) set {
	var s set
	for ; i < len(w.items); i++ {
		s = union(s, w.items[i].set)
		if w.items[i].min > 0 {
			break
		}
	}
	return s
}

// bounded says whether a search takes time in proportion to the text. What could
// take more is a class without limit that many attempts read up to its end before
// they fail. The head is safe, as the search goes on behind it. Another is if an
// attempt that begins inside of it can't come to it again before its end, since
// something lies between that it does not have; or if after it no attempt fails.
func (w *row) bounded() bool {
	if w.anchored {
		return true
	}
	for i := range w.items {
		if w.items[i].open && i != w.head && !w.leaves(i) && !w.closes(i) {
			return false
		}
	}
	return true
}

// closes says whether the i-th item is followed by one that must have just those
// characters that it has not, and then by nothing that must be there: [^"]*".
func (w *row) closes(i int) bool {
	next := &w.items[i+1]
	return next.min == 1 && utf8.RuneCountInString(next.text) < 2 && len(union(w.items[i].set, next.set).negate()) == 0 && w.canEnd(i+2)
}

// leaves says whether an item before the i-th must have a character that the i-th
// has not.
func (w *row) leaves(i int) bool {
	s := w.items[i].set
	for _, before := range w.items[:i] {
		for _, c := range before.text {
			if !s.contains(c) {
				return true
			}
		}
		if before.min > 0 && len(before.set.intersect(s)) == 0 {
			return true
		}
	}
	return false
}

// canEnd says whether the items from i on may match nothing.
func (w *row) canEnd(i int) bool {
	for ; i < len(w.items); i++ {
		if w.items[i].min > 0 {
			return false
		}
	}
	return true
}

// reader reads a text and polls.
type reader struct {
	s    string
	poll Poll
	left int // bytes until the next poll
	end  int // no match begins here or behind
	err  error
}

// rowBytes is how much text is read between two polls: a byte takes about 2 ns.
const rowBytes = 1 << 18

func (r *reader) count(n int) {
	r.left -= n
	if r.left < 0 {
		r.flush()
	}
}

// flush tells what was read.
func (r *reader) flush() {
	if n := rowBytes - r.left; n > 0 && r.poll != nil && r.err == nil {
		r.err = r.poll(int64(n)/8 + 1)
	}
	r.left = rowBytes
}

// has says whether the item has the character at pos, and how long that is.
func (it *item) has(s string, pos int) (size int, ok bool) {
	if c := s[pos]; c < utf8.RuneSelf {
		return 1, it.bytes[c]
	}
	if !it.wide {
		return 0, false
	}
	c, size := utf8.DecodeRuneInString(s[pos:])
	return size, it.set.contains(c)
}

// skip gives the first place from pos on where the item has the character, the
// length of the text if there is none.
func (it *item) skip(r *reader, pos int) int {
	s := r.s
	if it.text != "" {
		i := strings.Index(s[pos:], it.text)
		if i < 0 {
			i = len(s) - pos
		}
		r.count(i / 4)
		return pos + i
	}
	for pos < len(s) && r.err == nil {
		end := min(len(s), pos+rowBytes)
		from := pos
		for pos < end {
			c := s[pos]
			if c < utf8.RuneSelf {
				if it.bytes[c] {
					r.count(pos - from)
					return pos
				}
				pos++
				continue
			}
			c32, size := utf8.DecodeRuneInString(s[pos:])
			if it.wide && it.set.contains(c32) {
				r.count(pos - from)
				return pos
			}
			pos += size
		}
		r.count(pos - from)
	}
	return len(s)
}

// run gives the end of the longest match of the item at pos, -1 if it has none.
func (it *item) run(r *reader, pos int) int {
	s := r.s
	if it.text != "" {
		if !strings.HasPrefix(s[pos:], it.text) {
			return -1
		}
		return pos + len(it.text)
	}
	n := 0
	from := pos
	if it.max < 0 { // the loop for ASCII
		for pos < len(s) && s[pos] < utf8.RuneSelf && it.bytes[s[pos]] {
			pos++
			if pos-from >= rowBytes {
				r.count(rowBytes)
				n, from = n+rowBytes, pos
				if r.err != nil {
					return -1
				}
			}
		}
		n += pos - from
	}
	for n != it.max && pos < len(s) {
		size, ok := it.has(s, pos)
		if !ok {
			break
		}
		pos += size
		n++
		if pos-from >= rowBytes {
			r.count(pos - from)
			from = pos
			if r.err != nil {
				return -1
			}
		}
	}
	r.count(pos - from)
	if n < it.min || r.err != nil {
		return -1
	}
	return pos
}

// at matches the row at pos. Marks gets the places between its items.
func (w *row) at(r *reader, pos int, marks *[maxItems + 1]int) bool {
	for i := range w.items {
		marks[i] = pos
		if pos = w.items[i].run(r, pos); pos < 0 {
			return false
		}
		if pos == len(r.s) && w.items[i].open {
			r.end = min(r.end, marks[i]) // what must follow is nowhere behind it
			return false
		}
	}
	marks[len(w.items)] = pos
	return true
}

// find searches from pos on; full wants the whole text.
func (w *row) find(dst []int, s string, pos int, full bool, poll Poll) ([]int, error) {
	r := &reader{s: s, poll: poll, left: rowBytes, end: len(s)}
	var marks [maxItems + 1]int
	found := false
	for ; pos <= r.end; pos++ {
		if w.anchored && pos > 0 {
			break
		}
		if !w.empty && !w.anchored && !full {
			if pos = w.first.skip(r, pos); pos >= r.end {
				break
			}
		}
		marks[w.head+1] = 0
		if found = w.at(r, pos, &marks); found || full || w.anchored || r.err != nil {
			break
		}
		// No match begins inside of what the head took.
		if w.head >= 0 && marks[w.head+1] > pos+1 {
			pos = marks[w.head+1] - 1
		} else if s[pos] >= utf8.RuneSelf {
			_, size := utf8.DecodeRuneInString(s[pos:])
			pos += size - 1
		}
	}
	r.flush()
	if !found || r.err != nil || full && marks[len(w.items)] != len(s) {
		return nil, r.err
	}
	for _, g := range w.groups {
		dst = append(dst, marks[g[0]], marks[g[1]])
	}
	return dst, nil
}
