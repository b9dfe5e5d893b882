package jregex

// This file computes the facts that java.util.regex.Pattern has about a part of a pattern: the length of
// its matches, and whether it matches in one way only. They decide which lookbehinds Java accepts, and how
// it repeats a group. The arithmetic is that of Java, of 32 bits.

import "math"

// maxReps is Java's number for a repetition without limit.
const maxReps = math.MaxInt32

// info is the TreeInfo of Java.
type info struct {
	min, max      int32
	valid         bool // max is known
	deterministic bool
}

// lengths returns the lengths in code points of the matches of a lookbehind.
func (n *node) lengths() (least, most int, ok bool) {
	i := info{valid: true, deterministic: true}
	n.study(&i)
	if i.max < 0 && i.max > -1<<30 { // overflow: Java finds no position to begin at
		return 1, 0, i.valid
	}
	if i.max < 0 {
		i.max = maxReps
	}
	return int(i.min), int(i.max), i.valid
}

// deterministic reports whether Java takes a group to match in one way only.
func (n *node) deterministic() bool {
	i := info{valid: true, deterministic: true}
	n.study(&i)
	return i.deterministic
}

func (n *node) study(i *info) {
	switch n.op {
	case opSet:
		i.min++
		i.max++
	case opLiteral:
		i.min += int32(len(n.text))
		i.max += int32(len(n.text))
	case opSeq:
		for _, k := range n.kids {
			k.study(i)
		}
	case opGroup, opAtomic:
		n.kids[0].study(i)
	case opAlt:
		n.studyAlternatives(i)
	case opRepeat:
		n.studyRepeat(i)
	case opBackref:
		i.valid = false
	case opLineBreak:
		i.min++
		i.max += 2
	}
}

func (n *node) studyAlternatives(i *info) {
	least, most := int32(math.MaxInt32), int32(-1)
	for _, k := range n.kids {
		one := info{valid: true, deterministic: true}
		k.study(&one)
		least, most = min(least, one.min), max(most, one.max)
		i.valid = i.valid && one.valid
	}
	i.min += least
	i.max += most
	i.deterministic = false
}

func (n *node) studyRepeat(i *info) {
	kid := n.kids[0]
	least, most := int32(n.min), int32(n.max)
	if n.max < 0 {
		most = maxReps
	}
	switch {
	case n.option:
		before := i.min
		kid.study(i)
		i.min = before
		i.deterministic = false
		return
	case kid.isChar() && n.max < 0 && !n.lazy && !n.possessive: // CharPropertyGreedy
		i.min += least
		if i.valid {
			i.max += maxReps
		}
		i.deterministic = false
		return
	case kid.isGroup() && !n.possessive && !kid.deterministic(): // Loop
		i.valid, i.deterministic = false, false
		return
	}
	one := info{valid: true, deterministic: true}
	kid.study(&one)
	i.min += one.min * least
	before := i.max
	i.max = one.max*most + before
	i.valid = i.valid && one.valid && i.max >= before
	i.deterministic = i.deterministic && one.deterministic && n.min == n.max
}

// isChar reports whether a node matches exactly one code point.
func (n *node) isChar() bool { return n.op == opSet || n.op == opLiteral && len(n.text) == 1 }

// isGroup reports whether a node was written as a group, (…) or (?:…).
func (n *node) isGroup() bool { return n.op == opGroup || n.op == opSeq || n.op == opAlt }
