package jregex

// This file defines one-pass patterns: sequences of character classes, counted or not, such as \s+,
// [^a-z]+, ,\s* or (\w+)=(\d+), that are matched without backtracking. Most patterns of task
// programs are one-pass. Measured on 1 MB of text, splitting at [^a-z]+ takes 4 ms instead of 42. A
// one-pass pattern need not be compiled, which takes 10 to 30 µs.
//
// A one-pass pattern never backtracks, because the part that can follow a counted class begins with
// no character of that class: matching less of it cannot help. It takes time in proportion to the
// string, because no character is read more often than the pattern has items: see bounded.

import (
	"strings"
	"unicode/utf8"
)

// onepass is a compiled one-pass pattern.
type onepass struct {
	items  []item
	groups [][2]int // by group: the items that it encloses
	first  item     // characters that a non-empty match can begin with
	// head is the first item without a limit, if all items before it may be empty; else -1.
	head     int
	empty    bool // all items may be empty
	anchored bool // begins with ^
}

// item is a class that is matched min to max times, or a string.
type item struct {
	text     string // if not empty, the item is this string
	min, max int    // max -1: no limit
	set      set
	bytes    [utf8.RuneSelf]bool // the ASCII characters of the set
	wide     bool                // the set has other characters
	open     bool                // has no limit, and a required item follows
}

// maxItems bounds the items of a pattern, and so the time for each character.
const maxItems = 24

// onepassOf returns the one-pass form of a pattern with the given number of groups, or nil if it
// has none.
func onepassOf(root *node, groups int) *onepass {
	w := &onepass{groups: make([][2]int, groups+1)}
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
	optional := true // all items before may be empty
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

// add appends the items of a node. It returns false if the node cannot be part of a one-pass
// pattern. ^ is allowed at the beginning of the pattern.
func (w *onepass) add(n *node, begin bool) bool {
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

// start returns the characters with which a match of the items from i on can begin.
func (w *onepass) start(i int) set {
	var s set
	for ; i < len(w.items); i++ {
		s = union(s, w.items[i].set)
		if w.items[i].min > 0 {
			break
		}
	}
	return s
}

// bounded reports whether a search takes time in proportion to the string. It would take more if
// many attempts read the same characters, up to the end of a class without limit, and then fail.
// There are three safe cases. The head is safe, because the search continues after it. A class is
// safe if an attempt that begins inside its match cannot reach it again before its end, because a
// required item in between has a character that the class lacks. A class is also safe if no attempt
// fails after it.
func (w *onepass) bounded() bool {
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

// closes reports whether the item after the i-th requires one of exactly those characters that the
// i-th lacks, and no required item follows: [^"]*".
func (w *onepass) closes(i int) bool {
	next := &w.items[i+1]
	return next.min == 1 && utf8.RuneCountInString(next.text) < 2 && len(union(w.items[i].set, next.set).negate()) == 0 &&
		w.canEnd(i+2)
}

// leaves reports whether an item before the i-th requires a character that the i-th lacks.
func (w *onepass) leaves(i int) bool {
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

// canEnd reports whether all items from i on may be empty.
func (w *onepass) canEnd(i int) bool {
	for ; i < len(w.items); i++ {
		if w.items[i].min > 0 {
			return false
		}
	}
	return true
}

// reader reads a string and polls.
type reader struct {
	s    string
	poll Poll
	left int // bytes until the next poll
	end  int // no match begins here or later
	err  error
}

// onepassBytes is the number of bytes read between two polls. A byte takes about 2 ns.
const onepassBytes = 1 << 18

func (r *reader) count(n int) {
	r.left -= n
	if r.left < 0 {
		r.flush()
	}
}

// flush reports the bytes read to poll.
func (r *reader) flush() {
	if n := onepassBytes - r.left; n > 0 && r.poll != nil && r.err == nil {
		r.err = r.poll(int64(n)/8+1, 0)
	}
	r.left = onepassBytes
}

// has reports whether the item contains the character at pos, and returns the character's size.
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

// skip returns the first position from pos on whose character the item contains, or the length of
// the string if there is none.
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
		end := min(len(s), pos+onepassBytes)
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

// run returns the end of the longest match of the item at pos, or -1 if there is none.
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
			if pos-from >= onepassBytes {
				r.count(onepassBytes)
				n, from = n+onepassBytes, pos
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
		if pos-from >= onepassBytes {
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

// at reports whether the pattern matches at pos. It stores the positions between the items in
// marks.
func (w *onepass) at(r *reader, pos int, marks *[maxItems + 1]int) bool {
	for i := range w.items {
		marks[i] = pos
		if pos = w.items[i].run(r, pos); pos < 0 {
			return false
		}
		if pos == len(r.s) && w.items[i].open {
			r.end = min(r.end, marks[i]) // the required item does not occur later
			return false
		}
	}
	marks[len(w.items)] = pos
	return true
}

// find searches from pos on. With full, it matches the whole string.
func (w *onepass) find(dst []int, s string, pos int, full bool, poll Poll) ([]int, error) {
	r := &reader{s: s, poll: poll, left: onepassBytes, end: len(s)}
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
		// No match begins inside the match of the head.
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
